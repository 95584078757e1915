from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        from allauth.account import signals as account
        from allauth.mfa import signals as mfa
        from allauth.usersessions.signals import on_user_logged_in
        from django.contrib.auth import signals
        from django.contrib.sessions.models import Session
        from django.db.models.signals import post_delete, pre_delete

        from accounts import adapter, audit, browsers, demand, factors
        from accounts.single_sign_on import vouchers
        from accounts.single_sign_on.sessions import record_proof
        from schools.access import register_check
        from schools.models import Membership, User

        register_check(demand.check)
        account.user_logged_in.disconnect(on_user_logged_in)  # `note_sign_in` does it, without queries for each session
        signals.user_logged_in.connect(audit.record_sign_in)
        signals.user_logged_in.connect(browsers.note_sign_in)
        signals.user_logged_out.connect(audit.record_sign_out)
        signals.user_login_failed.connect(audit.sign_in_failed)
        account.authentication_step_completed.connect(record_proof)
        account.password_changed.connect(browsers.note_password)
        account.password_set.connect(browsers.note_password)
        account.password_reset.connect(browsers.note_password)
        account.password_reset.connect(adapter.forgive)
        mfa.authenticator_added.connect(factors.handle_factor_added)
        mfa.authenticator_removed.connect(factors.handle_factor_removed)
        mfa.authenticator_reset.connect(factors.handle_codes_made)
        mfa.authentication_failed.connect(factors.handle_wrong_code)
        pre_delete.connect(browsers.note_person_deleted, sender=User)
        post_delete.connect(browsers.note_session_deleted, sender=Session)
        post_delete.connect(vouchers.forget_member, sender=Membership)
