"""Runs Lectern on one machine: embedded servers, processes, health checks.

A leaf: it imports no other app. Only `config` imports it.
"""
