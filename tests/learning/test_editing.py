"""The teacher's edits of the graph, and undoing them."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from learning.models import Concept, StudyPlan
from learning.planning import editing
from learning.planning.editing import EditRefused
from tests.factories import Cast
from tests.learning.plans import add, link, links, make_plan, names


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    return make_plan(people.alice)


def of(plan: StudyPlan, name: str) -> Concept:
    return plan.active_concepts().get(name=name)


def test_renaming_keeps_the_definition_and_its_source(plan: StudyPlan) -> None:
    editing.rename_concept(concept=of(plan, "Erosion"), name="  River   erosion ")
    concept = of(plan, "River erosion")
    assert concept.is_edited and concept.definition_source == 1


def test_a_definition_of_the_teachers_own_cites_no_source(plan: StudyPlan) -> None:
    editing.rename_concept(concept=of(plan, "Erosion"), name="Erosion", definition="Rivers wear their bed away.")
    concept = of(plan, "Erosion")
    assert concept.definition == "Rivers wear their bed away." and concept.definition_source is None


@pytest.mark.parametrize("name", ["", "   ", "x" * 121])
def test_a_name_is_needed(plan: StudyPlan, name: str) -> None:
    with pytest.raises(EditRefused, match="120 characters"):
        editing.rename_concept(concept=of(plan, "Erosion"), name=name)


def test_a_name_that_is_taken_is_refused_in_words(plan: StudyPlan) -> None:
    with pytest.raises(EditRefused, match="this name already"):
        editing.rename_concept(concept=of(plan, "Erosion"), name="abrasion")
    assert editing.last_edit(plan) is None


def test_a_concept_is_added_after_another(plan: StudyPlan) -> None:
    concept = editing.add_concept(plan=plan, name="Attrition", definition="Stones.", after=of(plan, "Erosion"))
    assert names(plan) == ["Erosion", "Attrition", "Abrasion", "Deposition"]
    assert concept.sources_at is None
    editing.undo(plan=plan)
    assert names(plan) == ["Erosion", "Abrasion", "Deposition"]


def test_what_an_edit_lacks_is_made_by_a_worker(plan: StudyPlan) -> None:
    erosion, abrasion = of(plan, "Erosion"), of(plan, "Abrasion")
    edits: tuple[Callable[[], object], ...] = (
        lambda: editing.add_concept(plan=plan, name="Attrition"),
        lambda: editing.rename_concept(concept=erosion, name="Wear"),
        lambda: editing.split_concept(concept=erosion, name="Corrosion"),
        lambda: editing.merge_concepts(concept=abrasion, into=of(plan, "Deposition")),
    )
    for edit in edits:
        StudyPlan.objects.filter(pk=plan.pk).update(status="ready")
        plan.concepts.update(sources_at=timezone.now(), questions_at=timezone.now())
        edit()
        plan.refresh_from_db()
        assert plan.status == "queued"
        assert plan.active_concepts().filter(sources_at=None, questions_at=None).count() == 1


def test_a_concept_that_comes_back_unfinished_is_made_by_a_worker(plan: StudyPlan) -> None:
    plan.concepts.update(sources_at=timezone.now(), questions_at=timezone.now())
    for questions_at, status in ((timezone.now(), "ready"), (None, "queued")):
        erosion = of(plan, "Erosion")
        plan.concepts.filter(pk=erosion.pk).update(questions_at=questions_at)
        editing.remove_concept(concept=erosion)
        editing.undo(plan=plan)
        plan.refresh_from_db()
        assert plan.status == status


def test_a_new_definition_needs_no_worker(plan: StudyPlan) -> None:
    editing.rename_concept(concept=of(plan, "Erosion"), name="Erosion", definition="Rivers wear their bed away.")
    plan.refresh_from_db()
    assert plan.status == "ready"


def test_no_more_than_sixty(people: Cast) -> None:
    plan = make_plan(people.alice, *(f"Concept {n}" for n in range(60)))
    with pytest.raises(EditRefused, match="at most 60"):
        editing.add_concept(plan=plan, name="One more")


def test_a_circle_is_refused_in_words(plan: StudyPlan) -> None:
    editing.add_prerequisite(concept=of(plan, "Abrasion"), requires=of(plan, "Erosion"))
    with pytest.raises(EditRefused, match="circle"):
        editing.add_prerequisite(concept=of(plan, "Erosion"), requires=of(plan, "Abrasion"))
    with pytest.raises(EditRefused, match="before itself"):
        editing.add_prerequisite(concept=of(plan, "Erosion"), requires=of(plan, "Erosion"))
    assert links(plan) == {("Abrasion", "Erosion")}


def test_a_prerequisite_of_another_plan_is_refused(plan: StudyPlan, people: Cast) -> None:
    other = make_plan(people.alice)
    with pytest.raises(EditRefused, match="same plan"):
        editing.add_prerequisite(concept=of(plan, "Abrasion"), requires=of(other, "Erosion"))


def test_drawing_and_erasing_are_undone_in_turn(plan: StudyPlan) -> None:
    editing.add_prerequisite(concept=of(plan, "Abrasion"), requires=of(plan, "Erosion"))
    editing.remove_prerequisite(concept=of(plan, "Abrasion"), requires=of(plan, "Erosion"))
    assert links(plan) == set()
    assert editing.undo(plan=plan) == "Do not need “Erosion” for “Abrasion”"
    assert links(plan) == {("Abrasion", "Erosion")}
    editing.undo(plan=plan)
    assert links(plan) == set()
    with pytest.raises(EditRefused, match="nothing to undo"):
        editing.undo(plan=plan)


def test_what_needed_a_removed_concept_needs_what_it_needed(plan: StudyPlan) -> None:
    link(of(plan, "Abrasion"), of(plan, "Erosion"))
    link(of(plan, "Deposition"), of(plan, "Abrasion"))
    editing.remove_concept(concept=of(plan, "Abrasion"))
    assert names(plan) == ["Erosion", "Deposition"] and links(plan) == {("Deposition", "Erosion")}
    editing.undo(plan=plan)
    assert names(plan) == ["Erosion", "Abrasion", "Deposition"]
    assert links(plan) == {("Abrasion", "Erosion"), ("Deposition", "Abrasion")}
    assert of(plan, "Abrasion").questions.count() == 1


def test_a_removal_that_an_older_version_stored_is_undone(plan: StudyPlan) -> None:
    editing.remove_concept(concept=of(plan, "Abrasion"))
    edit = plan.edits.get()
    for fields in edit.before["concepts"].values():
        fields.pop("removed_at", None)
    edit.save()
    editing.undo(plan=plan)
    assert names(plan) == ["Erosion", "Abrasion", "Deposition"]


def test_merging_moves_sources_and_questions_with_their_numbers(plan: StudyPlan) -> None:
    link(of(plan, "Deposition"), of(plan, "Abrasion"))
    editing.merge_concepts(concept=of(plan, "Abrasion"), into=of(plan, "Erosion"))
    erosion = of(plan, "Erosion")
    assert erosion.synonyms == ["Abrasion"] and links(plan) == {("Deposition", "Erosion")}
    assert [source.number for source in erosion.sources.all()] == [1, 2]
    moved = erosion.questions.get(answer__accepted=["Abrasion"])
    assert moved.source_numbers == [2]
    assert moved.prompt == "____ is what a river does. [2]" and moved.explanation.endswith("[2]")


def test_merging_is_undone_whole(plan: StudyPlan) -> None:
    before = [(one.prompt, one.source_numbers, one.concept.name) for one in _questions(plan)]
    editing.merge_concepts(concept=of(plan, "Abrasion"), into=of(plan, "Erosion"))
    editing.undo(plan=plan)
    assert [(one.prompt, one.source_numbers, one.concept.name) for one in _questions(plan)] == before
    assert of(plan, "Erosion").synonyms == [] and of(plan, "Abrasion").sources.get().number == 1


def test_merging_into_itself_or_another_plan_is_refused(plan: StudyPlan, people: Cast) -> None:
    erosion = of(plan, "Erosion")
    for into in (erosion, of(make_plan(people.alice), "Abrasion")):
        with pytest.raises(EditRefused, match="another concept"):
            editing.merge_concepts(concept=erosion, into=into)


def test_merging_that_would_make_a_circle_is_refused(plan: StudyPlan) -> None:
    link(of(plan, "Abrasion"), of(plan, "Erosion"))
    link(of(plan, "Deposition"), of(plan, "Abrasion"))
    with pytest.raises(EditRefused, match="circle"):
        editing.merge_concepts(concept=of(plan, "Deposition"), into=of(plan, "Erosion"))
    assert names(plan) == ["Erosion", "Abrasion", "Deposition"]


def test_a_concept_is_split_with_copies_of_its_sources(plan: StudyPlan) -> None:
    new = editing.split_concept(concept=of(plan, "Erosion"), name="Wearing away", sources=[1, 7])
    assert links(plan) == {("Wearing away", "Erosion")}
    assert [source.number for source in new.sources.all()] == [1] and of(plan, "Erosion").sources.count() == 1
    editing.undo(plan=plan)
    assert "Wearing away" not in names(plan)


def test_a_plan_that_is_gone_is_told(plan: StudyPlan) -> None:
    erosion = of(plan, "Erosion")
    StudyPlan.objects.filter(pk=plan.pk).delete()
    with pytest.raises(EditRefused, match="deleted"):
        editing.rename_concept(concept=erosion, name="Other")


def test_only_the_last_fifty_edits_are_kept(plan: StudyPlan) -> None:
    for n in range(editing.KEPT_EDITS + 3):
        editing.rename_concept(concept=of(plan, names(plan)[0]), name=f"Erosion {n}")
    assert plan.edits.count() == editing.KEPT_EDITS


def test_undo_after_adding_by_hand_keeps_names_apart(plan: StudyPlan) -> None:
    editing.remove_concept(concept=of(plan, "Abrasion"))
    add(plan, "Abrasion")
    with pytest.raises(EditRefused, match="this name already"):
        editing.undo(plan=plan)


def _questions(plan: StudyPlan) -> list:  # type: ignore[type-arg]
    from learning.models import Question

    return list(Question.objects.filter(concept__plan=plan).order_by("pk").select_related("concept"))
