import os
import threading

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

from config.handler import Handler  # noqa: E402 - Django must be set up first
from corpus.embedding import active_model  # noqa: E402 - have models, which Django must load first
from corpus.search import language  # noqa: E402 - have models, which Django must load first

application = Handler()

# The first question must not wait for a model to load, nor the first page for the models' libraries.
for warm in (active_model.warm_up, language.warm):
    threading.Thread(target=warm, name=warm.__module__, daemon=True).start()
