"""All settings, read from the environment and checked at the start (12-factor).

A first run needs none of them: without DATABASE_URL and REDIS_URL Lectern uses the embedded services that
`manage.py serve` starts in LECTERN_DATA.
"""

import os
import tomllib
from pathlib import Path

import django_stubs_ext

from config import environment as env
from config.api_description import SPECTACULAR_SETTINGS as SPECTACULAR_SETTINGS
from config.background_tasks import CELERY_TASK_QUEUES as CELERY_TASK_QUEUES
from config.background_tasks import CELERY_TASK_ROUTES as CELERY_TASK_ROUTES
from config.environment import WrongSetting
from config.logs import LOGGING as LOGGING
from corpus.certainty import THRESHOLD
from operations import embedded

django_stubs_ext.monkeypatch()  # lets class definitions name the model of a generic admin or view

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = env.folder("LECTERN_DATA", BASE_DIR / "var")


def _no_sniffing(headers: dict[str, str], path: str, url: str) -> None:
    headers["X-Content-Type-Options"] = "nosniff"


# Processes ------------------------------------------------------------------------------------------------

LECTERN_HOST = env.text("LECTERN_HOST", "127.0.0.1")
LECTERN_PORT = env.whole_number("PORT", 8000, least=1, most=65535)
LECTERN_WEB_PROCESSES = env.whole_number("LECTERN_WEB_PROCESSES", min(2, os.cpu_count() or 1), least=1)

# Safety ---------------------------------------------------------------------------------------------------

DEBUG = env.flag("LECTERN_DEBUG", default=False)
SECRET_KEY = env.secret_key("LECTERN_SECRET_KEY", DATA_DIR)
ALLOWED_HOSTS = env.hosts("LECTERN_ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = env.origins("LECTERN_TRUSTED_ORIGINS")
HTTPS = env.flag("LECTERN_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 365 * 86400 if HTTPS else 0
LECTERN_SECURITY_CONTACT = env.contact("LECTERN_SECURITY_CONTACT")
FORWARDED_ALLOW_IPS = env.names("FORWARDED_ALLOW_IPS", "127.0.0.1")  # Uvicorn reads it, too
LECTERN_IS_PUBLIC = HTTPS or not all(map(env.is_loopback, [LECTERN_HOST, *ALLOWED_HOSTS]))
LECTERN_DEMO = env.flag("LECTERN_DEMO", default=not (LECTERN_IS_PUBLIC or env.text("DATABASE_URL")))
LECTERN_DEMO_PASSWORD = env.text("LECTERN_DEMO_PASSWORD", "lectern-demo")
if LECTERN_DEMO and LECTERN_IS_PUBLIC and LECTERN_DEMO_PASSWORD == "lectern-demo":  # noqa: S105 - it is published
    raise WrongSetting(
        "LECTERN_DEMO=1 needs a LECTERN_DEMO_PASSWORD of your own where others can reach Lectern "
        "(LECTERN_HOST, LECTERN_ALLOWED_HOSTS or LECTERN_HTTPS). Everybody knows the usual one."
    )
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
    "django.forms",
    "django_htmx",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.usersessions",
    "corsheaders",
    "rest_framework",
    "drf_spectacular",
    "operations",
    "operators",
    "audit",
    "schools",
    "accounts",
    "rest",
    "privacy",
    "corpus",
    "knowledge",
    "school_library",
    "chatbots",
    "demo",
]
PLUGINS = ["references", "web_pages", "evaluation", "learning", "classrooms", "lti", "openai_api"]
INSTALLED_APPS += PLUGINS  # also those that are off: their tables stay (ADR 41)
LECTERN_PLUGINS_OFF = env.choices("LECTERN_PLUGINS_OFF", among=["all", *PLUGINS])

MIDDLEWARE = [
    "config.middleware.no_store",
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
    "schools.http.membership",
    "accounts.middleware.watch_sessions",
]

ROOT_URLCONF = "config.urls"
SILENCED_SYSTEM_CHECKS = ["urls.W002"]  # routes of the API have no slash at their end, so what follows begins with one
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
            ],
            "builtins": ["plugins.fragments"],
        },
    }
]

FORM_RENDERER = "django.forms.renderers.TemplatesSetting"  # for templates/django/forms

# Database: psycopg's own pool lends connections to requests, searches and answers ---------------------------

DATABASES = {"default": env.database("DATABASE_URL", DATA_DIR)}
DATABASES["default"] |= {
    "CONN_MAX_AGE": 0,
    "OPTIONS": DATABASES["default"].get("OPTIONS", {})
    | {
        "server_side_binding": True,  # so that statements repeat word for word
        "prepare_threshold": 1,  # the second time: most statements of a question come once a question
        "pool": {
            "min_size": 1,
            "num_workers": 1,
            "max_size": env.whole_number("LECTERN_DATABASE_POOL", 12, least=2),
            "timeout": env.whole_number("LECTERN_DATABASE_PATIENCE", 20, least=1),
        },
    },
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Redis: broker and cache; PostgreSQL is the only truth -----------------------------------------------------

REDIS_URL = env.redis_address("REDIS_URL", DATA_DIR)
CACHES = {
    "default": {
        "BACKEND": "config.cache.RedisOrMemoryCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "lectern",
        "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},
    }
    if REDIS_URL
    else {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": str(DATA_DIR / "cache"),
        "OPTIONS": {"MAX_ENTRIES": 5000},
    }
}

CELERY_BROKER_URL = embedded.celery_broker_url(REDIS_URL)
CELERY_BROKER_TRANSPORT_OPTIONS = env.broker_options(DATA_DIR, REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_TIME_LIMIT = 1800

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
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
# A whole school signs in from one address in the morning. `login_failed` counts wrong codes of second factors; wrong
# passwords are counted in accounts.adapter, so that nobody can lock the owner of an account out from elsewhere.
ACCOUNT_RATE_LIMITS = {"login": "300/m/ip", "login_failed": "60/m/ip,5/5m/key"}
ACCOUNT_FORMS = {
    "login": "accounts.forms.SignIn",
    "reset_password": "accounts.forms.ForgottenPassword",
    "change_password": "accounts.forms.ChangePassword",
    "reset_password_from_key": "accounts.forms.ResetPassword",
    "reauthenticate": "accounts.forms.PasswordAgain",
}
SOCIALACCOUNT_ADAPTER = "accounts.single_sign_on.oidc.SocialAdapter"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Lectern] "
ACCOUNT_EMAIL_NOTIFICATIONS = True
MFA_ADAPTER = "accounts.mfa_adapter.MFAAdapter"
MFA_FORMS = {
    "authenticate": "accounts.factor_forms.Code",
    "reauthenticate": "accounts.factor_forms.CodeAgain",
    "activate_totp": "accounts.factor_forms.ActivateApp",
    "login_webauthn": "accounts.factor_forms.PasskeySignsIn",
    "authenticate_webauthn": "accounts.factor_forms.PasskeyAsSecondStep",
    "reauthenticate_webauthn": "accounts.factor_forms.PasskeyAgain",
    "add_webauthn": "accounts.factor_forms.AddPasskey",
    "edit_webauthn": "accounts.factor_forms.RenamePasskey",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_ALLOW_UNVERIFIED_EMAIL = True  # nobody's address is verified; the school knows it
MFA_PASSKEY_LOGIN_ENABLED = MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_ISSUER = "Lectern"
MFA_TOTP_TOLERANCE = 1  # a code is right for 90 s, and opens once: accounts.factors
MFA_RATE_LIMITS = {"webauthn_login": "300/m/ip"}  # a whole school behind one address; there is nothing to guess
LECTERN_OPERATORS_SECOND_FACTOR = env.flag("LECTERN_OPERATORS_SECOND_FACTOR", default=False)
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"

vars().update(env.email("EMAIL_URL", DATA_DIR / "mail"))
EMAIL_TIMEOUT = 10  # people wait for it when they sign in
DEFAULT_FROM_EMAIL = env.sender("LECTERN_FROM_EMAIL", "Lectern <lectern@localhost>")

# Language and time ------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"
TIME_ZONE = env.time_zone("LECTERN_TIME_ZONE", "UTC")

# Files ------------------------------------------------------------------------------------------------------

STATIC_URL = "static/"
_COLLECTED = BASE_DIR / "collected"  # by the Dockerfile
STATIC_ROOT = _COLLECTED if _COLLECTED.is_dir() else DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static_files.HashedStaticFiles"},
}
MEDIA_ROOT = DATA_DIR / "files"
SERVESTATIC_MANIFEST_STRICT = False
SERVESTATIC_KEEP_ONLY_HASHED_FILES = True
SERVESTATIC_ADD_HEADERS_FUNCTION = _no_sniffing  # they are served before the middleware: config/handler.py
LECTERN_MAX_UPLOAD_MB = env.whole_number("LECTERN_MAX_UPLOAD_MB", 50, least=1)
LECTERN_MAX_PAGES = env.whole_number("LECTERN_MAX_PAGES", 2000, least=1)
LECTERN_MAX_CHARACTERS = env.whole_number("LECTERN_MAX_CHARACTERS", 5_000_000, least=1000)
LECTERN_MAX_CHUNKS = env.whole_number("LECTERN_MAX_CHUNKS", 20_000, least=1)
LECTERN_PARSE_SECONDS = env.whole_number("LECTERN_PARSE_SECONDS", 45, least=1)
LECTERN_PARSE_MEMORY_MB = env.whole_number("LECTERN_PARSE_MEMORY_MB", 1024, least=256)
LECTERN_TESSERACT = env.text("LECTERN_TESSERACT", "tesseract")
LECTERN_OCR_LANGUAGES = env.names("LECTERN_OCR_LANGUAGES")
LECTERN_OCR_PAGES = env.whole_number("LECTERN_OCR_PAGES", 200, least=1)
LECTERN_OCR_SECONDS = env.whole_number("LECTERN_OCR_SECONDS", 60, least=1)
LECTERN_RETRY_SECONDS = env.whole_number("LECTERN_RETRY_SECONDS", 15, least=0)
LECTERN_MAX_FILES_PER_UPLOAD = env.whole_number("LECTERN_MAX_FILES_PER_UPLOAD", 200, least=1)
DATA_UPLOAD_MAX_NUMBER_FILES = LECTERN_MAX_FILES_PER_UPLOAD + 1

# Engines ----------------------------------------------------------------------------------------------------

LECTERN_EMBEDDING_MODEL = env.text("LECTERN_EMBEDDING_MODEL", "multilingual-e5-small")
LECTERN_EMBEDDING_RUNTIME = env.choice("LECTERN_EMBEDDING_RUNTIME", "auto", ["auto", "onnx-int8", "onnx", "torch"])
LECTERN_MODELS = env.folder("LECTERN_MODELS", DATA_DIR / "models")
LECTERN_EMBEDDING_THREADS = env.whole_number("LECTERN_EMBEDDING_THREADS", 1, least=1)
LECTERN_INDEXING_THREADS = env.whole_number("LECTERN_INDEXING_THREADS", min(os.cpu_count() or 1, 4), least=1)
_cores = min(os.cpu_count() or 1, 8)
LECTERN_REQUEST_THREADS = env.whole_number("LECTERN_REQUEST_THREADS", 2 + 2 * _cores, least=2)
LECTERN_ANSWER_THREADS = env.whole_number("LECTERN_ANSWER_THREADS", _cores, least=1)
LECTERN_MAX_WAITING = env.whole_number("LECTERN_MAX_WAITING", 500, least=1)
LECTERN_READER = env.reader("LECTERN_READER")
LECTERN_READ_FOR_LLM = env.flag("LECTERN_READ_FOR_LLM", default=True)
LECTERN_LLM_BASE_URL = env.web_address("LECTERN_LLM_BASE_URL")
LECTERN_LLM_API_KEY = env.text("LECTERN_LLM_API_KEY")
LECTERN_LLM_MODEL = env.text("LECTERN_LLM_MODEL")
LECTERN_LLM_TIMEOUT = env.whole_number("LECTERN_LLM_TIMEOUT", 60, least=1)
LECTERN_LLM_TOKEN_TIMEOUT = env.whole_number("LECTERN_LLM_TOKEN_TIMEOUT", 20, least=1)
LECTERN_LLM_CONNECT_TIMEOUT = env.whole_number("LECTERN_LLM_CONNECT_TIMEOUT", 5, least=1)
LECTERN_LLM_TEMPERATURE = env.share("LECTERN_LLM_TEMPERATURE", 0.1)
LECTERN_LLM_CONTEXT = env.whole_number("LECTERN_LLM_CONTEXT", 8192, least=2048)
LECTERN_LLM_ANSWER = env.whole_number("LECTERN_LLM_ANSWER", 2048, least=256)
if LECTERN_LLM_CONTEXT - LECTERN_LLM_ANSWER < 1024:
    raise WrongSetting(
        f"LECTERN_LLM_CONTEXT ({LECTERN_LLM_CONTEXT}) must be at least 1024 more than LECTERN_LLM_ANSWER "
        f"({LECTERN_LLM_ANSWER}): the rest is for the question and its sources."
    )
LECTERN_REWRITE_TIMEOUT = env.whole_number("LECTERN_REWRITE_TIMEOUT", 5, least=1)
if bool(LECTERN_LLM_MODEL) != bool(LECTERN_LLM_BASE_URL):
    raise WrongSetting(
        "To use a language model set both LECTERN_LLM_BASE_URL (such as http://localhost:11434/v1) and "
        "LECTERN_LLM_MODEL (the model's name there). Leave both out to quote from the sources without a model."
    )
LECTERN_ANSWERER = (
    "engines.llm.OpenAICompatible" if LECTERN_LLM_MODEL else "chatbots.quoting.answerer.ExtractiveAnswerer"
)

# Retrieval --------------------------------------------------------------------------------------------------

LECTERN_SEARCH_DEADLINE_MS = env.whole_number("LECTERN_SEARCH_DEADLINE_MS", 2000, least=50)
LECTERN_RELEVANCE_THRESHOLD = THRESHOLD

# Sources beyond the school ------------------------------------------------------------------------------------

LECTERN_OFFLINE = env.flag("LECTERN_OFFLINE", default=False)
LECTERN_FETCH_LOOPBACK = env.flag("LECTERN_FETCH_LOOPBACK", default=False)
LECTERN_DEMO_PAGES = (
    f"127.0.0.1:{LECTERN_PORT}" if LECTERN_DEMO else ""
)  # on this machine, and may be fetched all the same
LECTERN_FETCH_CONTACT = env.contact("LECTERN_FETCH_CONTACT")
LECTERN_APPROVED_WORDS = env.whole_number("LECTERN_APPROVED_WORDS", 80, least=20, most=150)
LECTERN_VERSION = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]["version"]
LECTERN_WIKIPEDIA_URL = env.wiki("LECTERN_WIKIPEDIA_URL", "https://{language}.wikipedia.org/w/rest.php")
LECTERN_WIKIBOOKS_URL = env.wiki("LECTERN_WIKIBOOKS_URL", "https://{language}.wikibooks.org/w/rest.php")
LECTERN_LIVE_DEADLINE_MS = env.whole_number("LECTERN_LIVE_DEADLINE_MS", 6000, least=500)
LECTERN_KIWIX_URL = env.web_address("LECTERN_KIWIX_URL")
LECTERN_ZIM_DEADLINE_MS = env.whole_number("LECTERN_ZIM_DEADLINE_MS", 3000, least=50)
LECTERN_TITLE_SIM_EXIT = env.share("LECTERN_TITLE_SIM_EXIT", 0.5)
LECTERN_SIM_THRESHOLD = env.share("LECTERN_SIM_THRESHOLD", 0.3)

# Conversations ----------------------------------------------------------------------------------------------

LECTERN_KEEP_DELETED_DAYS = env.whole_number("LECTERN_KEEP_DELETED_DAYS", 7, least=1, most=36500)
LECTERN_AUDIT_DAYS = env.whole_number("LECTERN_AUDIT_DAYS", 730, least=30, most=36500)
LECTERN_QUESTION_LOG_DAYS = env.whole_number("LECTERN_QUESTION_LOG_DAYS", 180, most=36500)

# The API ---------------------------------------------------------------------------------------------------

LECTERN_API_PATH = "/api/"
LECTERN_API_RATE = env.rate("LECTERN_API_RATE", "100/min")
LECTERN_CORS_ORIGINS = env.origins("LECTERN_CORS_ORIGINS", or_all=True)
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
    "EXCEPTION_HANDLER": "rest.problems.handle_exception",
    "DEFAULT_SCHEMA_CLASS": "rest.schema.Schema",
    "URL_FORMAT_OVERRIDE": None,
}
