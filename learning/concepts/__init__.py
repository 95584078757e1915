"""Find concepts, their definitions and prerequisites in passages. Pure; it imports no models."""
