import os
import threading

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

from config.handler import Handler  # noqa: E402 - Django must be set up first
from corpus import embedding  # noqa: E402 - has models, which Django must load first
from text import languages  # noqa: E402

application = Handler()

# The first question must not wait for a model to load, nor the first page for the models' libraries.
for warm in (embedding.warm, languages.load_detector):
    threading.Thread(target=warm, name=warm.__module__, daemon=True).start()
