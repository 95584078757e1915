"""Class links: chatbots that pupils ask without accounts."""
