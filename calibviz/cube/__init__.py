"""`evaluate`: its request, where its cells come from (memory, summaries, parts), its metrics, fitting and ranks."""
