"""Sets etcd's password before a node starts. A later run checks it.

Address, user and password come from PATRONI_ETCD3_HOSTS, PATRONI_ETCD3_USERNAME and PATRONI_ETCD3_PASSWORD.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

ROOT = {"name": os.environ["PATRONI_ETCD3_USERNAME"], "password": os.environ["PATRONI_ETCD3_PASSWORD"]}


def call(path: str, body: dict) -> str | None:
    """Returns etcd's refusal, or None."""
    url = f"http://{os.environ['PATRONI_ETCD3_HOSTS']}/v3/auth/{path}"
    try:
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode()), timeout=5):
            return None
    except urllib.error.HTTPError as error:
        return json.load(error)["message"]


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
