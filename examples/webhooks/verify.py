# Verifies the signature of a delivery. Copy signature_problem; the rest tries it on a body from standard input. Needs only Python 3.
#   WEBHOOK_SECRET=whsec_… python3 examples/webhooks/verify.py "$X_WEBHOOK_SIGNATURE" < body

import hashlib
import hmac
import os
import re
import sys
import time

TOLERANCE_SECONDS = 300


def signature_problem(header: "str | None", raw_body: bytes, secret: str) -> "str | None":
    """None when the delivery is genuine, else why it is not. Never raises. raw_body is the body before anything parses it.
    A header may have several v1; one that fits is enough. "wrong time": the signature fits, but is old, or a clock is wrong."""
    if not secret:
        return "no secret: set WEBHOOK_SECRET"
    elements = [element.strip().partition("=") for element in (header or "").split(",")]
    timestamp = ",".join(value for name, _, value in elements if name == "t")
    if not re.fullmatch(r"[0-9]{1,15}", timestamp):
        return "wrong signature"
    signed = timestamp.encode() + b"." + raw_body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    genuine = False
    for name, _, value in elements:
        # Each one is compared as a whole, so the time that it takes reveals nothing.
        if name == "v1" and hmac.compare_digest(value.lower().encode(errors="replace"), expected):
            genuine = True
    if not genuine:
        return "wrong signature"
    return "wrong time" if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS else None


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else None
    problem = signature_problem(given, sys.stdin.buffer.read(), os.environ.get("WEBHOOK_SECRET", ""))
    print(problem or "genuine")
    sys.exit(1 if problem else 0)
