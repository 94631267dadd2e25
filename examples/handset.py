#!/usr/bin/env python3
"""A handset: registers, joins a channel, polls its inbox and reports each new alert as read and acknowledged.

Needs Python 3.8 and nothing else.

  python3 examples/handset.py HANDLE [COUNT]      ends after COUNT alerts; goes on for ever without it
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

API = os.environ.get("BELFRY_URL", "http://127.0.0.1:8787") + "/handset/v1"
PAUSE = float(os.environ.get("POLL_SECONDS", "5"))
WAIT = int(os.environ.get("WAIT_SECONDS", "50"))
token = os.environ.get("BELFRY_DEVICE_TOKEN")


def call(method, path, body=None, etag=None):
    """One call: status, headers and body; 304 is an answer like any other. A refusal ends the program."""
    headers = {}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if body is not None:
        headers["Content-Type"] = "application/json"
    if etag:
        headers["If-None-Match"] = etag
        headers["Prefer"] = f"wait={WAIT}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(API + path, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30 + WAIT) as response:
            return response.status, response.headers, json.load(response)
    except urllib.error.HTTPError as answer:
        if answer.code == 304:
            return 304, answer.headers, None
        error = json.load(answer)["error"]
        sys.exit(f"{answer.code} {error['type']}: {error['message']}")


def main():
    global token
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    handle = sys.argv[1]
    left = int(sys.argv[2]) if len(sys.argv) == 3 else -1

    # Registering asks for no account. The token is shown once: a real handset keeps it, for with it goes the subscription.
    if not token:
        facts = {"platform": "cli", "app_version": "1.0", "locale": "en", "timezone": "UTC"}
        token = call("POST", "/devices", facts)[2]["token"]
    call("PUT", "/subscriptions/" + urllib.parse.quote(handle), {"permissions": ["notify", "sound"]})
    print(f"joined {handle}", flush=True)

    # What was seen is remembered by its validator: while nothing changed the answer is 304, without a body, and it is held for
    # as long as nothing does. One that was not held, as it says by not saying so, is followed by a pause.
    etag = None
    seen = set()
    while left != 0:
        status, headers, inbox = call("GET", "/inbox", etag=etag)
        if status == 304:
            print("unchanged", flush=True)
            if "Preference-Applied" not in headers:
                time.sleep(PAUSE)
        else:
            etag = headers["ETag"]
            for alert in reversed(inbox["data"]):
                if alert["id"] in seen or left == 0:
                    continue
                print(f"got {alert['id']}: {alert['title']}", flush=True)
                reports = [{"alert_id": alert["id"], "kind": kind} for kind in ("read", "ack")]
                call("POST", "/reports", {"reports": reports})
                seen.add(alert["id"])
                left -= 1


main()
