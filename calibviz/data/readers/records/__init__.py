"""Readers of records: logs, documents of JSON, and archives of these."""
