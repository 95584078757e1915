import os
import threading

from django.core.asgi import get_asgi_application

from engines.embedding import get_embedder

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_asgi_application()

# The first question must not wait for the model to load, nor the first page for the model's libraries.
threading.Thread(target=get_embedder, name="warm-embedder", daemon=True).start()
