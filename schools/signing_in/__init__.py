"""How people sign in: second factors, the browsers in which they are signed in, mails about new devices.

`schools.access`, `schools.http` and `rest` import `demand` and `sessions`; the rest is for the account's pages.
"""
