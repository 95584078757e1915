"""URLs of an account: sign in, sign out, change and reset the password.

They are listed one by one, since django-allauth offers more than is safe here. Nobody can change their e-mail address:
addresses are not verified, and schools invite people by them.
"""

from allauth.account import views
from django.urls import path, re_path
from django.views.generic import RedirectView

from schools import invitation_views
from schools.single_sign_on import views as single_sign_on

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
    path("password/set/", RedirectView.as_view(pattern_name="account_reset_password"), name="account_set_password"),
    path("sso/", single_sign_on.find_school, name="account_sso"),
    path("sso/<uuid:provider_id>/login/", single_sign_on.start, name="openid_connect_login"),
    path("sso/<uuid:provider_id>/callback/", single_sign_on.callback, name="openid_connect_callback"),
    path("sso/<slug:slug>/", single_sign_on.of_school, name="account_sso_school"),
    path("sso-connect/", single_sign_on.connect, name="account_sso_connect"),
    path("sso-accounts/", single_sign_on.identities, name="account_identities"),
    path("sso-accounts/<uuid:pk>/disconnect/", single_sign_on.disconnect, name="account_disconnect"),
    path("invitation/<int:pk>/<str:key>/", invitation_views.accept, name="account_invitation"),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        views.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
]
