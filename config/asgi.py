import os
import threading

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

from config.handler import Handler  # noqa: E402 - Django must be set up first
from corpus.embedding import warm  # noqa: E402 - has models, which Django must load first

application = Handler()

# The first question must not wait for the model to load, nor the first page for the model's libraries.
threading.Thread(target=warm, name="warm-embedder", daemon=True).start()
