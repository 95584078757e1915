import os
import threading

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_asgi_application()

from corpus.embedding import warm  # noqa: E402 - has models, which Django must load first

# The first question must not wait for the model to load, nor the first page for the model's libraries.
threading.Thread(target=warm, name="warm-embedder", daemon=True).start()
