from django.urls import path

from chatbots.views import chats
from classrooms.views import concern, desk, joining, practice, rooms, school, teaching
from classrooms.views.rooms import for_pupils

app_name = "classrooms"
urlpatterns = [
    # Pupils, without accounts
    path("c/", joining.enter_code, name="enter"),
    path("c/<str:code>", joining.door, name="door"),
    path("c/<str:code>/leave", joining.leave, name="leave"),
    path("c/<str:code>/my-data", joining.show_own_data, name="own-data"),
    path("c/<str:code>/my-data/file", joining.own_data_file, name="own-data-file"),
    path("c/<str:code>/my-data/code", joining.new_own_code, name="new-own-code"),
    path("c/<str:code>/room", rooms.room, name="room"),
    path("c/<str:code>/chatbots/<uuid:pk>", for_pupils(chats.new), name="new-chat"),
    path("c/<str:code>/chatbots/<uuid:pk>/practice", practice.practise, name="practise"),
    path("c/<str:code>/chats/<uuid:pk>", for_pupils(chats.show_chat), name="chat"),
    path("c/<str:code>/chats/<uuid:pk>/answered", rooms.answered, name="answered"),
    path("c/<str:code>/messages/<uuid:pk>", for_pupils(chats.exchange), name="exchange"),
    path("c/<str:code>/messages/<uuid:pk>/stream", for_pupils(chats.stream), name="stream"),
    path("c/<str:code>/messages/<uuid:pk>/stop", for_pupils(chats.stop_answer), name="stop"),
    path("c/<str:code>/messages/<uuid:pk>/again", for_pupils(chats.answer_again), name="again"),
    path("c/<str:code>/messages/<uuid:pk>/hand", rooms.ask_teacher, name="hand"),
    path("c/<str:code>/sources/<uuid:pk>", rooms.source, name="source"),
    # Teachers
    path("classes/", teaching.list_classes, name="list"),
    path("classes/new/", teaching.create_class, name="create"),
    path("classes/concerns/", concern.show_concerns, name="concerns"),
    path("classes/<uuid:pk>/", desk.desk, name="desk"),
    path("classes/<uuid:pk>/live/", desk.live, name="live"),
    path("classes/<uuid:pk>/edit/", teaching.edit_class, name="edit"),
    path("classes/<uuid:pk>/names/", teaching.note_names, name="names"),
    path("classes/<uuid:pk>/sheet/", teaching.sheet, name="sheet"),
    path("classes/<uuid:pk>/large/", teaching.large, name="large"),
    path("classes/<uuid:pk>/pause/", teaching.pause_class, name="pause"),
    path("classes/<uuid:pk>/close/", teaching.close_or_open, name="close"),
    path("classes/<uuid:pk>/code/", teaching.confirm_new_code, name="change-code"),
    path("classes/<uuid:pk>/erase/", teaching.erase, name="erase"),
    path("classes/<uuid:pk>/transcripts/", desk.transcript, name="transcripts"),
    path("classes/<uuid:pk>/transcripts/file/", desk.export_transcripts, name="export"),
    path("classes/<uuid:pk>/summary/", desk.summary, name="summary"),
    path("classes/pupils/<uuid:pk>/pause/", desk.pause_pupil, name="pause-pupil"),
    path("classes/pupils/<uuid:pk>/code/", desk.give_new_code, name="new-pupil-code"),
    path("classes/pupils/<uuid:pk>/erase/", desk.confirm_pupil_erasure, name="erase-pupil"),
    path("classes/hands/<uuid:pk>/done/", desk.settle_hand, name="settle-hand"),
    path("classes/flags/<uuid:pk>/seen/", desk.mark_concern_seen, name="seen"),
    path("classes/answers/<uuid:pk>/", desk.answer_pupil, name="answer"),
    path("classes/answers/<uuid:pk>/correct/", desk.correct_answer, name="correct"),
    # Admins
    path("schools/classes/", school.list_school_classes, name="school"),
    path("schools/classes/safeguarding/", concern.edit_safeguarding, name="safeguarding"),
    path("schools/classes/concern/", concern.edit_words_of_concern, name="concern"),
    path("schools/classes/switch/", school.switch, name="switch"),
    path("schools/classes/<uuid:pk>/close/", school.close_school_class, name="close-as-admin"),
]
