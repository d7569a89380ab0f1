"""The papers that words come from."""

from __future__ import annotations

KIRCHENBAUER, GUPTA, ROELOFS = "Kirchenbauer et al. 2022", "Gupta et al. 2021", "Roelofs et al. 2022"
