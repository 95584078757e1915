from django.urls import path

from schools import token_views, views
from schools.single_sign_on import views as single_sign_on

app_name = "schools"
urlpatterns = [
    path("switch/", views.switch, name="switch"),
    path("members/", views.members, name="members"),
    path("members/add/", views.add, name="add-member"),
    path("members/<uuid:pk>/invite/", views.invite_again, name="invite-again"),
    path("members/<uuid:pk>/withdraw/", views.withdraw_invitation, name="withdraw-invitation"),
    path("members/<uuid:pk>/role/", views.role, name="change-role"),
    path("members/<uuid:pk>/remove/", views.remove, name="remove-member"),
    path("single-sign-on/", single_sign_on.school, name="single-sign-on"),
    path("single-sign-on/<uuid:pk>/switch/", single_sign_on.switch, name="switch-provider"),
    path("tokens/", token_views.index, name="tokens"),
    path("tokens/add/", token_views.add, name="add-token"),
    path("tokens/<uuid:pk>/revoke/", token_views.revoke, name="revoke-token"),
]
