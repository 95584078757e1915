"""Live Wikipedia and Wikibooks over the MediaWiki REST API (W1)."""
