"""The playground: one HTML page without a kernel, in which a network is drawn and estimators are tried on it."""
