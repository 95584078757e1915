"""The operator's page: how the installation is, and figures of all schools. It has no models.

Imports `operations`, `classrooms`, `learning`, `chatbots`, `corpus` and `schools`. Nothing imports it.
"""
