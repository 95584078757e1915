"""The application that Uvicorn serves."""

import logging
import os
import sys
import threading

import django

from config.environment import WrongSetting
from config.logs import WithoutSecrets

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
try:
    django.setup(set_prefix=False)
except WrongSetting as reason:
    print(reason, file=sys.stderr)
    sys.exit(3)  # by which Uvicorn knows that another try would fail, too
logging.getLogger("uvicorn.access").addFilter(WithoutSecrets())

from config.handler import Handler  # noqa: E402 - Django must be set up first
from corpus.embedding import active_model  # noqa: E402 - has models, which Django must load first
from engines.reader import loading  # noqa: E402
from text import languages  # noqa: E402

application = Handler()

# The first question must not wait for a model to load, nor the first page for the models' libraries.
for warm in (active_model.warm_up, loading.get_reader, languages.load_detector):
    threading.Thread(target=warm, name=warm.__module__, daemon=True).start()
