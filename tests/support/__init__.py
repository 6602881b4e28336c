"""What several tests, the bench and end-to-end scripts share; nothing here needs pytest."""
