"""`verify-record`: hand records against the rules, against signatures, and against what players kept."""
