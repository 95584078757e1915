from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.db import IntegrityError, OperationalError
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.shortcuts import redirect
from django.template.defaultfilters import filesizeformat

from schools import deletion
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import AccessToken, Membership, School
from schools.readable import Readable


class NoEdit:
    """Admin mixin: rows cannot be added or changed by hand."""

    def has_add_permission(self, *_: object) -> bool:
        return False

    def has_change_permission(self, *_: object) -> bool:
        return False


class ReadOnly(Readable, NoEdit):
    """Admin mixin: rows cannot be deleted by hand either."""

    def has_delete_permission(self, *_: object) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, admin.ModelAdmin[Model]):
    """Rows of schools that operators only look at."""

    list_filter = ["school"]


class DeletedWithEverything:
    """Admin mixin: superusers delete rows with all that belongs to them, and see beforehand how much that is."""

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return bool(request.user.is_superuser) and obj != request.user

    def get_deleted_objects(
        self, objs: Iterable[Model], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        rows = list(objs)
        extent = deletion.measure_extent(rows)
        counts = {f"stored files ({filesizeformat(extent.size)})": len(extent.files), **extent.rows}
        oneself = [f"{row} (the account with which you are signed in)" for row in rows if row == request.user]
        return [str(row) for row in rows], counts, set(), oneself

    def delete_model(self, request: HttpRequest, obj: Model) -> None:
        deletion.delete_with_everything([obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        deletion.delete_with_everything(list(queryset))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: object = None) -> Any:
        try:
            return super().delete_view(request, object_id, extra_context)  # type: ignore[misc]
        except (IntegrityError, OperationalError):
            list(messages.get_messages(request))  # Django has said already that it was deleted
            messages.error(
                request, "Nothing was deleted: something that belongs to it was being written. Please try again."
            )
            return redirect(request.path)


class MembershipInline(admin.StackedInline[Membership, School]):
    model = Membership
    extra = 0
    autocomplete_fields = ["user"]


@admin.register(School)
class SchoolAdmin(DeletedWithEverything, admin.ModelAdmin[School]):
    list_display = ["name", "slug", "created_at"]
    search_fields = ["name", "slug"]
    readonly_fields = ["created_at"]
    prepopulated_fields = {"slug": ["name"]}
    inlines = [MembershipInline]

    def save_model(self, request: HttpRequest, obj: School, form: ModelForm[School], change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and form.changed_data:
            record(Action.SETTINGS_CHANGED, school=obj, detail={"fields": ", ".join(sorted(form.changed_data))})

    def save_formset(self, request: HttpRequest, form: object, formset: Any, change: bool) -> None:
        """Memberships are recorded as those that are changed one by one."""
        for one in formset.deleted_forms:
            _record_membership(Action.MEMBER_REMOVED, one.instance)
        super().save_formset(request, form, formset, change)
        for row, _ in formset.changed_objects:
            _record_membership(Action.ROLE_CHANGED, row)
        for row in formset.new_objects:
            _record_membership(Action.MEMBER_ADDED, row)

    def get_deleted_objects(self, objs: Iterable[Model], request: HttpRequest) -> Any:
        names, *others = super().get_deleted_objects(objs, request)
        return [*names, "The accounts of its members stay: they may belong to other schools."], *others


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin[Membership]):
    list_display = ["user", "school", "role", "created_at", "invited_at"]
    list_filter = ["role", "school"]
    search_fields = ["user__email", "user__name", "school__name"]
    autocomplete_fields = ["user", "school"]
    readonly_fields = ["created_at", "invited_at"]

    def save_model(self, request: HttpRequest, obj: Membership, form: ModelForm[Membership], change: bool) -> None:
        super().save_model(request, obj, form, change)
        if not change or form.changed_data:
            _record_membership(Action.ROLE_CHANGED if change else Action.MEMBER_ADDED, obj)

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        _record_membership(Action.MEMBER_REMOVED, obj)
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        for row in queryset.select_related("user"):
            _record_membership(Action.MEMBER_REMOVED, row)
        super().delete_queryset(request, queryset)


def _record_membership(action: Action, row: Membership) -> None:
    record(action, school=row.school_id, subject=row.user, label=row.name, detail={"role": row.role})


@admin.register(AccessToken)
class AccessTokenAdmin(NoEdit, admin.ModelAdmin[AccessToken]):
    """Operators can look at tokens and delete them. The digest is hidden."""

    list_display = [
        "name",
        "prefix",
        "membership",
        "scope",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    ]
    list_filter = ["scope", "school"]
    list_select_related = ["membership__user", "membership__school"]
    search_fields = ["name", "prefix", "membership__user__email", "membership__user__name", "school__name"]
    exclude = ["digest"]
