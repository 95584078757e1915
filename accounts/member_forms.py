"""Forms with which a school keeps its people, and a person their access tokens."""

from __future__ import annotations

from django import forms

from schools.models import Role, Scope

_ROLES = [
    (Role.TEACHER, "Teacher: makes chatbots, reads the library"),
    (Role.ADMIN, "School admin: also manages the library and the members"),
]


class SearchForm(forms.Form):
    words = forms.CharField(
        label="Search",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": "Name or e-mail address"}),
    )


class RoleForm(forms.Form):
    role = forms.ChoiceField(
        choices=_ROLES,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose a role.", "invalid_choice": "Choose one of these roles."},
    )


class InviteForm(RoleForm):
    """Adds a person to the school, with or without an account."""

    email = forms.EmailField(
        label="E-mail address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
        help_text="They sign in with it, and get an e-mail that says how.",
        error_messages={
            "required": "Write the e-mail address with which the person signs in.",
            "invalid": "This is not an e-mail address. One looks like name@school.example.",
        },
    )
    name = forms.CharField(
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="As your school knows them.",
        error_messages={"required": "Write the person’s name."},
    )

    field_order = ["email", "name", "role"]

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()

    def clean_name(self) -> str:
        return " ".join(str(self.cleaned_data["name"]).split())  # it stands in mails


class TokenForm(forms.Form):
    """Makes an access token."""

    name = forms.CharField(
        max_length=80,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="What uses it, such as “Timetable script”, so that you know later which one to revoke.",
        error_messages={"required": "Write what will use it."},
    )
    scope = forms.ChoiceField(
        label="What it may do",
        choices=Scope.choices,
        initial=Scope.READ,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose what it may do.", "invalid_choice": "Choose one of these."},
    )
    days = forms.TypedChoiceField(
        label="It expires",
        choices=[("30", "After 30 days"), ("90", "After 90 days"), ("365", "After a year"), ("0", "Never")],
        initial="90",
        coerce=int,
        error_messages={"required": "Choose when it expires.", "invalid_choice": "Choose one of these."},
    )
