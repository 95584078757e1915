"""The size of a block: the part of a section that is read whole around a chunk that was found."""

TOKENS_PER_BLOCK = 1024
CHUNKS_PER_BLOCK = 32
"""The most chunks in a block. A search finds a block by the positions around one of its chunks."""
