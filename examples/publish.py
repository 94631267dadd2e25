#!/usr/bin/env python3
"""Opens a channel unless it is there, writes an alert as a draft, and sends it. Needs Python 3.8 and nothing else.

  BELFRY_API_KEY=bfk_… python3 examples/publish.py HANDLE TITLE
"""

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid

API = os.environ.get("BELFRY_URL", "http://localhost:8787") + "/api/v1"
KEY = os.environ.get("BELFRY_API_KEY")


def call(method, path, body=None):
    """One call of the API. A refusal ends the program with the service's own sentence, which names the way out."""
    headers = {"Authorization": f"Bearer {KEY}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    if method == "POST":
        # A creating call that is repeated under the same key does nothing twice: keep the key when you try again.
        headers["Idempotency-Key"] = str(uuid.uuid4())
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(API + path, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as refused:
        error = json.load(refused)["error"]
        sys.exit(f"{refused.code} {error['type']}: {error['message']}")


def main():
    if len(sys.argv) != 3 or not KEY:
        sys.exit(__doc__)
    handle, title = sys.argv[1:]

    found = call("GET", "/pushers?" + urllib.parse.urlencode({"handle": handle}))["data"]
    if found:
        channel = found[0]
    else:
        channel = call("POST", "/pushers", {
            "handle": handle,
            "name": handle,
            "category": "community",
            "description": "Opened by an example",
            "requested_perms": ["notify", "sound"],
        })
        print(f"opened {channel['id']}")

    alert = call("POST", f"/pushers/{channel['id']}/alerts", {"title": title, "requires_ack": True})
    print(f"drafted {alert['id']}")

    call("PATCH", f"/pushers/{channel['id']}/alerts/{alert['id']}", {"action": "send"})
    print(f"sent {alert['id']}")


main()
