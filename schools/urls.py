from django.urls import path

from schools import invitation_views, token_views, views
from schools.signing_in import school_views
from schools.single_sign_on import views as single_sign_on

app_name = "schools"
urlpatterns = [
    path("switch/", views.switch, name="switch"),
    path("join/<uuid:pk>/", invitation_views.join, name="join"),
    path("signing-in/", school_views.school, name="signing-in"),
    path("members/", views.members, name="members"),
    path("members/add/", views.add, name="add-member"),
    path("members/<uuid:pk>/invite/", views.invite_again, name="invite-again"),
    path("members/<uuid:pk>/withdraw/", views.withdraw_invitation, name="withdraw-invitation"),
    path("members/<uuid:pk>/role/", views.role, name="change-role"),
    path("members/<uuid:pk>/remove/", views.remove, name="remove-member"),
    path("members/<uuid:pk>/reset-factors/", school_views.reset_factors, name="reset-factors"),
    path("single-sign-on/<uuid:pk>/switch/", single_sign_on.switch, name="switch-provider"),
    path("tokens/", token_views.index, name="tokens"),
    path("tokens/add/", token_views.add, name="add-token"),
    path("tokens/<uuid:pk>/revoke/", token_views.revoke, name="revoke-token"),
]
