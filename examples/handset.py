#!/usr/bin/env python3
"""A handset: joins a channel, long-polls its inbox, prints each new alert and reports it as read and acknowledged.

Needs Python 3.8 and nothing else. It keeps its token in a file that only its user reads, and so stays the same subscriber.

  python3 examples/handset.py HANDLE [COUNT]      ends after COUNT alerts; goes on for ever without it
"""
import json, os, random, sys, time  # noqa: E401
import urllib.error, urllib.parse, urllib.request  # noqa: E401

API = os.environ.get("BELFRY_URL", "http://localhost:8787") + "/handset/v1"
KEPT = os.environ.get("BELFRY_DEVICE_FILE", os.path.expanduser("~/.belfry-handset"))
PAUSE = float(os.environ.get("POLL_SECONDS", "5"))
WAIT = int(os.environ.get("WAIT_SECONDS", "50"))
token = None


def call(method, path, body=None, headers={}):
    """One call: status, headers and body; 304 is an answer like any other. A refusal ends the program."""
    headers = {**headers, "Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    data = None if body is None else json.dumps(body).encode()
    for tried in range(7):
        try:
            request = urllib.request.Request(API + path, data=data, headers=headers, method=method)
            with urllib.request.urlopen(request, timeout=30 + WAIT) as response:
                return response.status, response.headers, json.load(response)
        except urllib.error.HTTPError as answer:
            if answer.code == 304:
                return 304, answer.headers, None
            error = json.load(answer)["error"]
            if answer.code not in (429, 500, 503):
                sys.exit(f"{answer.code} {error['type']}: {error['message']}")
            time.sleep(float(answer.headers.get("Retry-After") or 2**tried))
        except OSError:  # no network, or a server that restarts
            time.sleep(2**tried * (0.5 + random.random() / 2))
    sys.exit("The service does not answer.")


def known():
    """The token in the file, or that of a new device: registering asks for no account, and shows the token once."""
    if not os.path.exists(KEPT):
        facts = {"platform": "cli", "app_version": "1.0", "locale": "en", "timezone": "UTC"}
        made = call("POST", "/devices", facts)[2]["token"]
        with os.fdopen(os.open(KEPT, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(made)
    with open(KEPT) as file:
        return file.read().strip()


if len(sys.argv) not in (2, 3):
    sys.exit(__doc__)
token = known()
left = int(sys.argv[2]) if len(sys.argv) == 3 else -1
call("PUT", "/subscriptions/" + urllib.parse.quote(sys.argv[1], safe=""), {"permissions": ["notify", "sound"]})
print(f"joined {sys.argv[1]}", flush=True)
seen, asked = set(), {}
while left != 0:
    # Waits until a change, or for WAIT seconds: 304. A response that did not wait lacks the header; a pause follows.
    status, headers, inbox = call("GET", "/inbox?view=lean", headers=asked)
    if status == 304:
        print("unchanged", flush=True)
        time.sleep(0 if "Preference-Applied" in headers else PAUSE)
        continue
    asked = {"If-None-Match": headers["ETag"], "Prefer": f"wait={WAIT}"}
    for alert in [one for one in reversed(inbox["data"]) if one["id"] not in seen][: left if left > 0 else None]:
        print(f"got {alert['id']}: {alert['title']}", flush=True)
        call("POST", "/reports", {"reports": [{"alert_id": alert["id"], "kind": kind} for kind in ("read", "ack")]})
        seen.add(alert["id"])
        left -= 1
