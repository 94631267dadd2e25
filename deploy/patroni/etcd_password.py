"""Sets etcd's password before a node starts. A later run checks it.

Addresses, user and password come from PATRONI_ETCD3_HOSTS, PATRONI_ETCD3_USERNAME and PATRONI_ETCD3_PASSWORD.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

# Separated by commas, with or without quotes, as Patroni reads them.
HOSTS = [host.strip(" '\"") for host in os.environ["PATRONI_ETCD3_HOSTS"].split(",")]
ROOT = {"name": os.environ["PATRONI_ETCD3_USERNAME"], "password": os.environ["PATRONI_ETCD3_PASSWORD"]}


def call(path: str, body: dict) -> str | None:
    """Returns the refusal of the first etcd that answers, or None. Raises OSError without an answer."""
    failures = []
    for host in HOSTS:
        try:
            request = urllib.request.Request(f"http://{host}/v3/auth/{path}", json.dumps(body).encode())
            with urllib.request.urlopen(request, timeout=5):
                return None
        except urllib.error.HTTPError as error:
            # A member that has no leader answers with a fault, while others may work.
            if error.code < 500:
                return json.load(error)["message"]
            failures.append(f"{host}: {error}")
        except OSError as error:
            failures.append(f"{host}: {error}")
    raise OSError("; ".join(failures))


def sign_in() -> str | None:
    """Returns etcd's refusal, or None. Waits up to a minute for an answer."""
    for _ in range(60):
        try:
            return call("authenticate", ROOT)
        except OSError as error:
            last = error
            time.sleep(1)
    return f"no answer ({last})"


refusal = sign_in()
if refusal == "etcdserver: authentication is not enabled":
    call("role/add", {"name": "root"})
    # The other node does the same at the same time, or an earlier run was cut short: each may be there.
    if call("user/add", ROOT):
        call("user/changepw", ROOT)
    call("user/grant", {"user": ROOT["name"], "role": "root"})
    call("enable", {})
    refusal = sign_in()
if refusal is not None:
    sys.exit(f"etcd: {refusal}. ETCD_PASSWORD must be the one of the first start.")
