from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

# Operators sign in where everybody does, where guessing is slowed down.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="chatbots:list"), name="home"),
    path("", include("operations.urls")),
    path("accounts/", include("schools.account_urls")),
    path("schools/", include("schools.urls")),
    path("documents/", include("knowledge.urls")),
    path("library/", include("school_library.urls")),
    path("", include("chatbots.urls")),
    path("api/v1/", include("config.api_urls")),
    path("admin/", admin.site.urls),
]

# What fails under /api/ is told in its own form, everything else on the pages of templates/.
handler400 = "rest.problems.bad_request"
handler403 = "rest.problems.forbidden"
handler404 = "rest.problems.not_found"
handler500 = "rest.problems.failed"
