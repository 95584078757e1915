from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        from allauth.account import signals as account
        from allauth.mfa import signals as mfa
        from django.contrib.auth import signals
        from django.db.models.signals import post_delete, pre_delete

        from accounts import audit, browsers, demand, factors, seen
        from accounts.single_sign_on import entering
        from accounts.single_sign_on.sessions import proved
        from schools.access import register_demand
        from schools.models import Membership, User

        register_demand(demand)
        signals.user_logged_in.connect(audit.signed_in)
        signals.user_logged_in.connect(seen.signed_in)
        signals.user_logged_out.connect(audit.signed_out)
        signals.user_login_failed.connect(audit.sign_in_failed)
        account.authentication_step_completed.connect(proved)
        account.password_changed.connect(browsers.password_changed)
        account.password_set.connect(browsers.password_changed)
        account.password_reset.connect(browsers.password_changed)
        mfa.authenticator_added.connect(factors.added)
        mfa.authenticator_removed.connect(factors.removed)
        mfa.authenticator_reset.connect(factors.codes_made)
        mfa.authentication_failed.connect(factors.wrong_code)
        pre_delete.connect(browsers.person_erased, sender=User)
        post_delete.connect(entering.member_removed, sender=Membership)
