from django.urls import path

from accounts.views import invitations, members, school, single_sign_on, tokens

app_name = "schools"
urlpatterns = [
    path("switch/", members.switch, name="switch"),
    path("join/<uuid:pk>/", invitations.join, name="join"),
    path("signing-in/", school.school, name="signing-in"),
    path("members/", members.members, name="members"),
    path("members/add/", members.add_member, name="add-member"),
    path("members/<uuid:pk>/invite/", members.invite_again, name="invite-again"),
    path("members/<uuid:pk>/withdraw/", members.withdraw_invitation, name="withdraw-invitation"),
    path("members/<uuid:pk>/role/", members.role, name="change-role"),
    path("members/<uuid:pk>/remove/", members.confirm_removal, name="remove-member"),
    path("members/<uuid:pk>/reset-factors/", school.reset_factors, name="reset-factors"),
    path("single-sign-on/<uuid:pk>/switch/", single_sign_on.switch, name="switch-provider"),
    path("tokens/", tokens.list_tokens, name="tokens"),
    path("tokens/add/", tokens.add_token, name="add-token"),
    path("tokens/<uuid:pk>/revoke/", tokens.revoke, name="revoke-token"),
]
