from plugins import Plugin


class WebPagesConfig(Plugin):
    name = "web_pages"
    verbose_name = "Web pages as documents"
    needs = ["references"]
    urls = {"web-pages/": "web_pages.urls"}
    api_urls = {"": "web_pages.api_urls"}
    fragments = ["add_document", "add_to_library", "web_document_menu"]
