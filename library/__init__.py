"""What ``import roofwatch`` offers: judge a number (``check``), time a function (``measure``)."""
