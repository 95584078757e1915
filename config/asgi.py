"""The application that Uvicorn serves."""

import os
import sys
import threading

import django

from config.environment import WrongSetting

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
try:
    django.setup(set_prefix=False)
except WrongSetting as reason:
    print(reason, file=sys.stderr)
    sys.exit(3)  # by which Uvicorn knows that another try would fail, too

from config.handler import Handler
from corpus.embedding import active_model
from engines.reader import loading
from text import languages

application = Handler()

# The first question must not wait for a model to load, nor the first page for the models' libraries.
for warm in (active_model.warm_up, loading.get_reader, languages.load_detector):
    threading.Thread(target=warm, name=warm.__module__, daemon=True).start()
