"""URLs of an account: sign in, sign out, change and reset the password, second factors, sessions.

They are listed one by one, since django-allauth offers more than is safe here. Nobody can change their e-mail address:
addresses are not verified, and schools invite people by them.
"""

from allauth.account import views
from allauth.mfa.base import views as factors
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as app
from allauth.mfa.webauthn import views as passkeys
from django.urls import path, re_path

from schools import invitation_views
from schools.signing_in import views as signing_in

urlpatterns = [
    path("login/", views.login, name="account_login"),
    path("logout/", views.logout, name="account_logout"),
    path("inactive/", views.account_inactive, name="account_inactive"),
    path("signup/", views.signup, name="account_signup"),  # says that sign-up is closed
    path("password/change/", views.password_change, name="account_change_password"),
    path("password/reset/", views.password_reset, name="account_reset_password"),
    path("password/reset/done/", views.password_reset_done, name="account_reset_password_done"),
    path(
        "password/reset/key/done/",
        views.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("invitation/<int:pk>/<str:key>/", invitation_views.accept, name="account_invitation"),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        views.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    # Second factors. allauth's views lead to these names, so they are not ours to choose.
    path("reauthenticate/", views.reauthenticate, name="account_reauthenticate"),
    path("signing-in/", signing_in.index, name="mfa_index"),
    path("signing-in/alerts/", signing_in.alerts, name="account_alerts"),
    path("signing-in/sessions/end/", signing_in.end_others, name="account_end_other_sessions"),
    path("signing-in/sessions/<uuid:pk>/end/", signing_in.end_session, name="account_end_session"),
    path("second-step/", factors.authenticate, name="mfa_authenticate"),
    path("second-step/again/", factors.reauthenticate, name="mfa_reauthenticate"),
    path("app/add/", app.activate_totp, name="mfa_activate_totp"),
    path("app/remove/", app.deactivate_totp, name="mfa_deactivate_totp"),
    path("recovery-codes/", recovery_codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("recovery-codes/new/", recovery_codes.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("passkeys/sign-in/", signing_in.sign_in_with_passkey, name="mfa_login_webauthn"),
    path("passkeys/again/", passkeys.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("passkeys/add/", passkeys.add_webauthn, name="mfa_add_webauthn"),
    path("passkeys/<int:pk>/rename/", signing_in.rename_passkey, name="mfa_edit_webauthn"),
    path("passkeys/<int:pk>/remove/", signing_in.remove_passkey, name="mfa_remove_webauthn"),
]
