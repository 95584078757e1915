"""The audit log: what was done, by whom, to what, when and from where.

Every app may import `recording` and `actions`; the app `audit` shows the entries.
"""
