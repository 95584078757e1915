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
    path("admin/", admin.site.urls),
]
