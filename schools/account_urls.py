"""URLs of an account: sign in, sign out, change and reset the password.

They are listed one by one, since django-allauth offers more than is safe here. Nobody can change their e-mail address:
addresses are not verified, and schools invite people by them.
"""

from allauth.account import views
from django.urls import path, re_path

from schools import invitation_views

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
]
