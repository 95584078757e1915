from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.shortcuts import redirect
from django.urls import include, path

from accounts import demand
from accounts.views.members import home
from plugins import find_plugins

# Operators sign in on the same page as everybody, where guessing is limited.
admin.site.login = secure_admin_login(demand.guard_admin_sign_in(admin.site.login))  # type: ignore[method-assign]
admin.site.has_permission = demand.guard_admin_permission(admin.site.has_permission)  # type: ignore[method-assign,assignment]
# The account's page limits guesses, revokes tokens, tells the person and is recorded.
admin.site.password_change = lambda *_, **__: redirect(  # type: ignore[method-assign,assignment]
    "account_change_password"
)
admin.site.site_header = admin.site.site_title = "Lectern"
admin.site.index_title = "All records of this installation"

urlpatterns = [
    path("api/v1/", include("config.api_urls")),
    path("", home, name="home"),
    path("", include("operations.urls")),
    path("accounts/", include("accounts.urls")),
    path("schools/audit/", include("audit.urls")),
    path("schools/", include("accounts.school_urls")),
    path("documents/", include("knowledge.urls")),
    path("library/", include("school_library.urls")),
    path("", include("privacy.urls")),
    path("demo/", include("demo.urls")),
    path("", include("chatbots.urls")),
    path("installation/", include("operators.urls")),
    *(path(prefix, include(urls)) for plugin in find_plugins() for prefix, urls in plugin.urls.items()),
    path("admin/", admin.site.urls),
]

# Errors under /api/ are problem details, all others are pages of templates/.
handler400 = "rest.problems.bad_request"
handler403 = "rest.problems.forbidden"
handler404 = "rest.problems.not_found"
handler500 = "rest.problems.handle_failure"
