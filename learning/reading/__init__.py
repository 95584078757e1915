"""Read what passages state: their sentences, definitions, terms, quantities, and sections that teach nothing. Pure."""
