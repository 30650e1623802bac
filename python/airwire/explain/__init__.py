"""Says in sentences what the figures of a run mean, and what to do next."""
