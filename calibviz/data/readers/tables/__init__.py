"""Readers of tables: text, workbooks, Arrow and parquet, and files of statistics programs."""
