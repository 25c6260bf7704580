"""HTTP for the two requests that go past the API: http and https alone, no redirect, no stored credentials.

A redirect would carry our headers to a host of someone else's choice, so it is an answer like any other.
"""

import urllib.request

USER_AGENT = "autofix"


def plain_opener() -> urllib.request.OpenerDirector:
    """Built by hand: no `file:`, no `ftp:`, no password manager, no cookies. Any answer from 300 on is an HTTPError."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    opener.addheaders = [("User-Agent", USER_AGENT), ("Accept", "*/*")]
    return opener
