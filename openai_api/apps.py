from plugins import Plugin


class OpenAIConfig(Plugin):
    name = "openai_api"
    verbose_name = "API for OpenAI's clients"
    api_urls = {"openai": "openai_api.api_urls"}
