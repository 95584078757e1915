"""Single sign-on by OpenID Connect: a school's people sign in where they have their school account (ADR 32)."""
