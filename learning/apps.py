from plugins import Plugin, Task


class LearningConfig(Plugin):
    name = "learning"
    verbose_name = "Study plans"
    urls = {"plans/": "learning.urls"}
    api_urls = {"": "learning.api_urls"}
    fragments = ["main_menu", "tutor_head", "tutor_about", "tutor_below", "operator_facts"]
    source_kinds = ["learning.tutoring.source.PLAN"]
    tutors = ["learning.tutoring.source.TUTOR"]
    figures = ["learning.planning.making.count_pending"]
    tasks = {
        "learning.tasks.queue_unfinished_plans": Task(every=20),
        "learning.tasks.make_plans": Task(queue="documents"),
        "learning.tasks.make_more_questions": Task(queue="documents"),
    }
