"""One reader for each file format: bytes to sections. Pure; runs inside the sandbox. Ingestion imports it. Reading, web
and chatbots only use its media types and checks of file names."""
