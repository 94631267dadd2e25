# Whether a delivery is genuine. Copy is_genuine; the rest tries it on a body from standard input. Python 3, nothing else.
#   WEBHOOK_SECRET=whsec_… python3 examples/webhooks/verify.py "$X_WEBHOOK_SIGNATURE" < body

import hashlib
import hmac
import os
import re
import sys
import time

TOLERANCE_SECONDS = 300


def is_genuine(header: str, raw_body: bytes, secret: str) -> bool:
    """raw_body is what came, before anything parses it. A header may hold several v1: one that fits is enough."""
    elements = [element.strip().partition("=") for element in header.split(",")]
    timestamps = [value for name, _, value in elements if name == "t"]
    if len(timestamps) != 1 or not re.fullmatch(r"[0-9]{1,15}", timestamps[0]):
        return False
    if abs(time.time() - int(timestamps[0])) > TOLERANCE_SECONDS:
        return False
    signed = timestamps[0].encode() + b"." + raw_body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    genuine = False
    for name, _, value in elements:
        # Every one is compared, whole: the time that it takes tells nothing.
        if name == "v1" and hmac.compare_digest(value.lower().encode(), expected):
            genuine = True
    return genuine


if __name__ == "__main__":
    header = sys.argv[1] if len(sys.argv) > 1 else ""
    genuine = is_genuine(header, sys.stdin.buffer.read(), os.environ.get("WEBHOOK_SECRET", ""))
    print("genuine" if genuine else "refused")
    sys.exit(0 if genuine else 1)
