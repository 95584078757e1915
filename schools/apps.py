from django.apps import AppConfig


class SchoolsConfig(AppConfig):
    name = "schools"
    verbose_name = "Schools and people"

    def ready(self) -> None:
        from allauth.account.signals import authentication_step_completed
        from django.contrib.auth import signals

        from schools.audit import accounts
        from schools.single_sign_on import sessions

        signals.user_logged_in.connect(accounts.signed_in)
        signals.user_logged_out.connect(accounts.signed_out)
        signals.user_login_failed.connect(accounts.sign_in_failed)
        authentication_step_completed.connect(sessions.proved)
