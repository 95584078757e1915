from django.apps import AppConfig


class SchoolsConfig(AppConfig):
    name = "schools"
    verbose_name = "Schools and people"

    def ready(self) -> None:
        from allauth.account import signals as account
        from allauth.mfa import signals as mfa
        from django import forms
        from django.contrib.auth import signals

        from schools.audit import accounts
        from schools.forms import check_visible
        from schools.signing_in import factors, seen, sessions
        from schools.single_sign_on.sessions import proved

        forms.CharField.default_validators = [check_visible]
        signals.user_logged_in.connect(accounts.signed_in)
        signals.user_logged_in.connect(seen.signed_in)
        signals.user_logged_out.connect(accounts.signed_out)
        signals.user_login_failed.connect(accounts.sign_in_failed)
        account.authentication_step_completed.connect(proved)
        account.password_changed.connect(sessions.password_changed)
        account.password_set.connect(sessions.password_changed)
        account.password_reset.connect(sessions.password_changed)
        mfa.authenticator_added.connect(factors.added)
        mfa.authenticator_removed.connect(factors.removed)
        mfa.authenticator_reset.connect(factors.codes_made)
        mfa.authentication_failed.connect(factors.wrong_code)
