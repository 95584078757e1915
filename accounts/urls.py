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
from django.views.generic import RedirectView

from accounts.single_sign_on.pages import require_own_proof
from accounts.views import invitations, signing_in, single_sign_on

own = require_own_proof

urlpatterns = [
    path("login/", views.login, name="account_login"),
    path("logout/", single_sign_on.sign_out, name="account_logout"),
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
    path("password/set/", RedirectView.as_view(pattern_name="account_reset_password"), name="account_set_password"),
    path("sso/", single_sign_on.find_school, name="account_sso"),
    path("sso/<uuid:provider_id>/login/", single_sign_on.start, name="openid_connect_login"),
    path("sso/<uuid:provider_id>/callback/", single_sign_on.callback, name="openid_connect_callback"),
    path("sso/<slug:slug>/", single_sign_on.of_school, name="account_sso_school"),
    path("sso-connect/", single_sign_on.connect, name="account_sso_connect"),
    path("sso-accounts/", single_sign_on.identities, name="account_identities"),
    path("sso-accounts/<uuid:pk>/disconnect/", single_sign_on.disconnect, name="account_disconnect"),
    path("invitation/<int:pk>/<str:key>/", invitations.accept, name="account_invitation"),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        views.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    # Second factors. allauth's views lead to these names, so they are not ours to choose.
    path("reauthenticate/", views.reauthenticate, name="account_reauthenticate"),
    path("signing-in/", own(signing_in.index), name="mfa_index"),
    path("signing-in/alerts/", own(signing_in.alerts), name="account_alerts"),
    path("signing-in/sessions/end/", own(signing_in.end_others), name="account_end_other_sessions"),
    path("signing-in/sessions/<int:pk>/end/", own(signing_in.end_session), name="account_end_session"),
    path("second-step/", factors.authenticate, name="mfa_authenticate"),
    path("second-step/again/", factors.reauthenticate, name="mfa_reauthenticate"),
    path("app/add/", own(app.activate_totp), name="mfa_activate_totp"),
    path("app/remove/", own(app.deactivate_totp), name="mfa_deactivate_totp"),
    path("recovery-codes/", own(recovery_codes.view_recovery_codes), name="mfa_view_recovery_codes"),
    path("recovery-codes/new/", own(recovery_codes.generate_recovery_codes), name="mfa_generate_recovery_codes"),
    path("passkeys/sign-in/", signing_in.sign_in_with_passkey, name="mfa_login_webauthn"),
    path("passkeys/again/", passkeys.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("passkeys/add/", own(passkeys.add_webauthn), name="mfa_add_webauthn"),
    path("passkeys/<int:pk>/rename/", own(signing_in.rename_passkey), name="mfa_edit_webauthn"),
    path("passkeys/<int:pk>/remove/", own(signing_in.remove_passkey), name="mfa_remove_webauthn"),
]
