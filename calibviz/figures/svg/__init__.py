"""Figure records and strips as SVG, in the colours that style sheets give: whole pictures, and small ones in tables."""
