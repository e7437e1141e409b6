"""Simulated devices and their wire."""
