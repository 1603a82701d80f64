"""roofwatch: what this GPU really does, and whether a measured number can be believed."""

__version__ = "0.1.0"
