"""From an uploaded file to chunks in the database: storage, parsing, chunking, embedding, replacing. Tasks, commands,
web, reading, the apps above and demo import it. It imports neither web nor reading."""
