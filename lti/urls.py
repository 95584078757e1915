from django.urls import path

from lti.views import choosing, launching, school

app_name = "lti"
urlpatterns = [
    # The platform, and whoever comes from it
    path("<uuid:pk>/login", launching.login, name="login"),
    path("<uuid:pk>/launch", launching.launch, name="launch"),
    path("<uuid:pk>/choose", launching.launch, name="launch-to-choose"),
    path("<uuid:pk>/enter", launching.take_launch_over, name="enter"),
    path("<uuid:pk>/frame", launching.frame, name="frame"),
    path("<uuid:pk>/keys", launching.keyset, name="keys"),
    # Teachers who have come
    path("launches/<str:key>/connect/", choosing.connect, name="connect"),
    path("launches/<str:key>/", choosing.go, name="go"),
    path("launches/<str:key>/choose/", choosing.choose_activity, name="choose"),
    path("connections/", school.connections, name="connections"),
    path("connections/<uuid:pk>/disconnect/", school.disconnect, name="disconnect"),
    path("classes/<uuid:pk>/", school.of_class, name="of-class"),
    path("classes/<uuid:pk>/send-grades/", school.send_grades_again, name="send-grades"),
    # Admins
    path("platforms/", school.platforms, name="platforms"),
    path("platforms/<uuid:pk>/switch/", school.switch, name="switch"),
]
