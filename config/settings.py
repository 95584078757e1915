"""All settings, read from the environment and checked at start (12-factor).

Nothing here needs setting for a first run: without DATABASE_URL and REDIS_URL the embedded services that
`manage.py serve` starts in LECTERN_DATA are used.
"""

import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import django_stubs_ext
import environ
from celery.schedules import crontab
from django.core.exceptions import ImproperlyConfigured

from operations import embedded

django_stubs_ext.monkeypatch()  # lets class definitions name the model of a generic admin or view

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.str("LECTERN_DATA", default=str(BASE_DIR / "var"))).expanduser().resolve()


def _whole_number(name: str, default: int, *, least: int = 0) -> int:
    text = env.str(name, default=str(default))
    if not text.isdecimal() or int(text) < least:
        raise ImproperlyConfigured(f"{name} must be a whole number of at least {least}, not {text!r}.")
    return int(text)


def _rate(name: str, default: str) -> tuple[int, int] | None:
    """Requests and seconds; None for no limit."""
    text = env.str(name, default=default).strip()
    if text in ("", "0"):
        return None
    number, _, unit = text.partition("/")
    seconds = {"s": 1, "min": 60, "h": 3600, "day": 86400}.get(unit)
    if not (number.isascii() and number.isdecimal() and int(number)) or seconds is None:
        raise ImproperlyConfigured(
            f"{name} must be such as 100/min (or /s, /h, /day), or 0 for no limit, not {text!r}."
        )
    return int(number), seconds


def _origins(name: str) -> list[str]:
    origins: list[str] = [origin.strip().rstrip("/") for origin in env.list(name, default=[])]
    for origin in origins:
        parts = urlsplit(origin)
        if origin != "*" and (
            parts.scheme not in ("http", "https") or origin != f"{parts.scheme}://{parts.netloc}"
        ):
            raise ImproperlyConfigured(
                f"{name} must be addresses such as https://school.example, separated by commas, or *, not {origin!r}."
            )
    return origins


def _not_sniffed(headers: dict[str, str], path: str, url: str) -> None:
    headers["X-Content-Type-Options"] = "nosniff"


# Processes ------------------------------------------------------------------------------------------------

LECTERN_WEB_PROCESSES = _whole_number("LECTERN_WEB_PROCESSES", min(2, os.cpu_count() or 1), least=1)

# Safety ---------------------------------------------------------------------------------------------------

DEBUG = env.bool("LECTERN_DEBUG", default=False)
SECRET_KEY = env.str("LECTERN_SECRET_KEY", default="") or embedded.secret_key(DATA_DIR)
ALLOWED_HOSTS = env.list("LECTERN_ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("LECTERN_TRUSTED_ORIGINS", default=[])
HTTPS = env.bool("LECTERN_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SESSION_COOKIE_HTTPONLY = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}

# Applications ---------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "servestatic.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "csp",
    "allauth",
    "allauth.account",
    "corsheaders",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "operations",
    "schools",
    "rest",
    "corpus",
    "knowledge",
    "school_library",
    "chatbots",
    "demo",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "schools.middleware.membership",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "schools.http.school",
            ]
        },
    }
]

# Database: psycopg's own pool lends connections to requests, searches and answers ---------------------------

DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url("DATABASE_URL")
    if env.str("DATABASE_URL", default="")
    else embedded.database_settings(DATA_DIR)
}
DATABASES["default"] |= {
    "ENGINE": "django.db.backends.postgresql",
    "HOST": unquote(DATABASES["default"].get("HOST", "")),  # a socket's directory is written with %2F
    "CONN_MAX_AGE": 0,
    "CONN_HEALTH_CHECKS": True,  # the pool checks a connection before lending it
    "OPTIONS": dict(DATABASES["default"].get("OPTIONS", {}))
    | {
        "pool": {
            "min_size": 1,
            "max_size": _whole_number("LECTERN_DATABASE_POOL", 12, least=2),
            "timeout": _whole_number("LECTERN_DATABASE_PATIENCE", 20, least=1),
        },
    },
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Redis: a doorbell for Celery and a cache; PostgreSQL is the only truth ------------------------------------

REDIS_URL = env.str("REDIS_URL", default="") or embedded.redis_url(DATA_DIR)
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "lectern",
    }
    if REDIS_URL
    else {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": str(DATA_DIR / "cache"),
    }
}

CELERY_BROKER_URL = embedded.celery_broker_url(REDIS_URL)
CELERY_BROKER_TRANSPORT_OPTIONS = embedded.celery_transport_options(DATA_DIR, REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_TIME_LIMIT = 1800
CELERY_BEAT_SCHEDULE = {
    "queue-unfinished-documents": {"task": "corpus.tasks.queue_unfinished", "schedule": 15},
    "sweep-files": {"task": "corpus.tasks.sweep_files", "schedule": crontab(hour="3", minute="17")},
    "interrupt-abandoned-answers": {"task": "chatbots.tasks.interrupt_abandoned_answers", "schedule": 20},
    "erase-deleted-conversations": {
        "task": "chatbots.tasks.erase_deleted_conversations",
        "schedule": crontab(hour="3", minute="41"),
    },
    "erase-kept-answers": {
        "task": "rest.tasks.erase_kept_answers",
        "schedule": crontab(hour="3", minute="53"),
    },
    "erase-logged-questions": {
        "task": "chatbots.tasks.erase_logged_questions",
        "schedule": crontab(hour="3", minute="59"),
    },
}

# People -----------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "schools.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_ADAPTER = "schools.adapter.ClosedSignup"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
# A whole school signs in from one address in the morning; guessing at one account stays slow.
ACCOUNT_RATE_LIMITS = {"login": "300/m/ip", "login_failed": "60/m/ip,5/5m/key"}
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Lectern] "
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"

EMAIL_URL = env.str("EMAIL_URL", default="")
if EMAIL_URL:
    vars().update(env.email_url("EMAIL_URL"))
else:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = str(DATA_DIR / "mail")
DEFAULT_FROM_EMAIL = env.str("LECTERN_FROM_EMAIL", default="Lectern <lectern@localhost>")

# Language and time ------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"
TIME_ZONE = env.str("LECTERN_TIME_ZONE", default="UTC")
USE_TZ = True

# Files ------------------------------------------------------------------------------------------------------

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_ROOT = DATA_DIR / "files"
SERVESTATIC_ADD_HEADERS_FUNCTION = _not_sniffed  # they are served before the middleware: config/handler.py
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
LECTERN_MAX_UPLOAD_MB = _whole_number("LECTERN_MAX_UPLOAD_MB", 50, least=1)
LECTERN_MAX_PAGES = _whole_number("LECTERN_MAX_PAGES", 2000, least=1)
LECTERN_MAX_CHARACTERS = _whole_number("LECTERN_MAX_CHARACTERS", 5_000_000, least=1000)
LECTERN_MAX_CHUNKS = _whole_number("LECTERN_MAX_CHUNKS", 20_000, least=1)
LECTERN_PARSE_SECONDS = _whole_number("LECTERN_PARSE_SECONDS", 45, least=1)
LECTERN_PARSE_MEMORY_MB = _whole_number("LECTERN_PARSE_MEMORY_MB", 1024, least=256)
LECTERN_TESSERACT = env.str("LECTERN_TESSERACT", default="tesseract")
LECTERN_OCR_LANGUAGES = env.list("LECTERN_OCR_LANGUAGES", default=[])
LECTERN_OCR_PAGES = _whole_number("LECTERN_OCR_PAGES", 200, least=1)
LECTERN_OCR_SECONDS = _whole_number("LECTERN_OCR_SECONDS", 60, least=1)
LECTERN_RETRY_SECONDS = _whole_number("LECTERN_RETRY_SECONDS", 15, least=0)
LECTERN_MAX_FILES_PER_UPLOAD = _whole_number("LECTERN_MAX_FILES_PER_UPLOAD", 200, least=1)
DATA_UPLOAD_MAX_NUMBER_FILES = LECTERN_MAX_FILES_PER_UPLOAD + 1

# Engines ----------------------------------------------------------------------------------------------------

LECTERN_EMBEDDING_MODEL = env.str("LECTERN_EMBEDDING_MODEL", default="")
LECTERN_EMBEDDING_RUNTIME = env.str("LECTERN_EMBEDDING_RUNTIME", default="auto")
if LECTERN_EMBEDDING_RUNTIME not in {"auto", "onnx-int8", "onnx", "torch"}:
    raise ImproperlyConfigured(
        "LECTERN_EMBEDDING_RUNTIME must be auto, onnx-int8, onnx or torch, "
        f"not {LECTERN_EMBEDDING_RUNTIME!r}."
    )
LECTERN_MODELS = Path(env.str("LECTERN_MODELS", default=str(DATA_DIR / "models"))).expanduser().resolve()
LECTERN_EMBEDDING_THREADS = _whole_number("LECTERN_EMBEDDING_THREADS", 1, least=1)
LECTERN_LLM_BASE_URL = env.str("LECTERN_LLM_BASE_URL", default="")
LECTERN_LLM_API_KEY = env.str("LECTERN_LLM_API_KEY", default="")
LECTERN_LLM_MODEL = env.str("LECTERN_LLM_MODEL", default="")
LECTERN_LLM_TIMEOUT = _whole_number("LECTERN_LLM_TIMEOUT", 60, least=1)
LECTERN_LLM_CONNECT_TIMEOUT = _whole_number("LECTERN_LLM_CONNECT_TIMEOUT", 5, least=1)
LECTERN_LLM_CONTEXT = _whole_number("LECTERN_LLM_CONTEXT", 8192, least=2048)
LECTERN_LLM_ANSWER = _whole_number("LECTERN_LLM_ANSWER", 2048, least=256)
if LECTERN_LLM_CONTEXT - LECTERN_LLM_ANSWER < 1024:
    raise ImproperlyConfigured(
        f"LECTERN_LLM_CONTEXT ({LECTERN_LLM_CONTEXT}) must be at least 1024 more than LECTERN_LLM_ANSWER "
        f"({LECTERN_LLM_ANSWER}): the rest is for the question and its sources."
    )
LECTERN_REWRITE_TIMEOUT = _whole_number("LECTERN_REWRITE_TIMEOUT", 5, least=1)
if bool(LECTERN_LLM_MODEL) != bool(LECTERN_LLM_BASE_URL):
    raise ImproperlyConfigured(
        "To use a language model set both LECTERN_LLM_BASE_URL (such as http://localhost:11434/v1) and "
        "LECTERN_LLM_MODEL (the model's name there). Leave both out to quote from the sources without a model."
    )
LECTERN_ANSWERER = (
    "engines.llm.OpenAICompatible" if LECTERN_LLM_MODEL else "engines.extractive.answerer.ExtractiveAnswerer"
)

# Retrieval --------------------------------------------------------------------------------------------------

LECTERN_SEARCH_DEADLINE_MS = _whole_number("LECTERN_SEARCH_DEADLINE_MS", 2000, least=50)
LECTERN_RELEVANCE_THRESHOLD = 0.5

# Conversations ----------------------------------------------------------------------------------------------

LECTERN_KEEP_DELETED_DAYS = _whole_number("LECTERN_KEEP_DELETED_DAYS", 7, least=1)
LECTERN_QUESTION_LOG_DAYS = _whole_number("LECTERN_QUESTION_LOG_DAYS", 180)

# The API: what each view is, rest.views says -----------------------------------------------------------------

LECTERN_API_PATH = "/api/"
LECTERN_API_RATE = _rate("LECTERN_API_RATE", "100/min")
LECTERN_CORS_ORIGINS = _origins("LECTERN_CORS_ORIGINS")
CORS_ALLOW_ALL_ORIGINS = "*" in LECTERN_CORS_ORIGINS
CORS_ALLOWED_ORIGINS = [origin for origin in LECTERN_CORS_ORIGINS if origin != "*"]
CORS_URLS_REGEX = rf"^{LECTERN_API_PATH}"
CORS_ALLOW_CREDENTIALS = False  # other pages' scripts have tokens of their own, never somebody's session
CORS_ALLOW_HEADERS = [
    "accept",
    "authorization",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-none-match",
]
CORS_EXPOSE_HEADERS = ["ETag", "Location", "RateLimit", "RateLimit-Policy", "Retry-After"]
REST_FRAMEWORK = {
    "EXCEPTION_HANDLER": "rest.problems.answer_for",
    "DEFAULT_SCHEMA_CLASS": "rest.schema.Schema",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Lectern",
    "DESCRIPTION": "Chatbots that answer only from the documents a school trusts, for programs.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": True,
    "COMPONENT_SPLIT_REQUEST": True,
    "SORT_OPERATIONS": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "rest.schema.name_ids",
        "rest.health.with_health",
    ],
    "TAGS": [
        {"name": "about", "description": "Who asks, and what there is."},
        {"name": "documents", "description": "A teacher’s own documents."},
        {
            "name": "library",
            "description": "The school’s documents: every member reads them, its admins keep them.",
        },
        {"name": "chatbots", "description": "Chatbots, and what they may read."},
        {"name": "asking", "description": "Questions, to a chatbot or about a selected text, and searches."},
        {"name": "conversations", "description": "What was asked and answered."},
        {"name": "usage", "description": "Figures, never what was asked."},
        {"name": "openai", "description": "For programs made for OpenAI’s chat completions."},
    ],
    "ENUM_NAME_OVERRIDES": {
        "DocumentStatus": "corpus.models.Status",
        "DocumentStage": "corpus.models.Stage",
        "AnswerStatus": "chatbots.models.MessageStatus",
        "Role": "schools.models.Role",
        "Scope": "schools.models.Scope",
    },
}

# Logs -------------------------------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "stream": sys.stderr}},
    "root": {"handlers": ["stderr"], "level": env.str("LECTERN_LOG_LEVEL", default="INFO")},
    "loggers": {"httpx": {"level": "WARNING"}},
}
