from django.urls import path

from web_pages import api

urlpatterns = [
    path("documents/web-pages", api.AddPersonalPage.as_view(), name="web-pages"),
    path("documents/<uuid:pk>/fetch", api.FetchPersonalPage.as_view(), name="web-page-fetch"),
    path("library/documents/web-pages", api.AddLibraryPage.as_view(), name="library-web-pages"),
    path("library/documents/<uuid:pk>/fetch", api.FetchLibraryPage.as_view(), name="library-web-page-fetch"),
]
