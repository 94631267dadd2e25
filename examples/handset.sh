#!/bin/sh
# A handset: registers, joins a channel, polls its inbox and reports each new alert as read and acknowledged. Needs a POSIX
# shell and curl.
#   sh examples/handset.sh HANDLE [COUNT]      ends after COUNT alerts; goes on for ever without it
set -eu

handle=${1:?usage: handset.sh HANDLE [COUNT]}
left=${2:--1}
api=${BELFRY_URL:-http://127.0.0.1:8787}/handset/v1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Registering asks for no account. The token is shown once: a real handset keeps it, for with it goes the subscription.
token=${BELFRY_DEVICE_TOKEN:-$(curl -sS --fail-with-body "$api/devices" -H "Content-Type: application/json" \
  -d '{"platform": "cli", "app_version": "1.0", "locale": "en", "timezone": "UTC"}' |
  sed -n 's/.*"token":"\([A-Za-z0-9_]*\)".*/\1/p')}

curl -sS --fail-with-body -X PUT "$api/subscriptions/$handle" -H "Authorization: Bearer $token" \
  -H "Content-Type: application/json" -d '{"permissions": ["notify", "sound"]}' >/dev/null
echo "joined $handle"

# What was seen is remembered by its validator: while nothing changed the answer is 304, without a body, and it is held for as
# long as nothing does. One that was not held, as it says by not saying so, is followed by a pause.
etag=
: >"$work/seen"
while [ "$left" -ne 0 ]; do
  status=$(curl -sS "$api/inbox" -H "Authorization: Bearer $token" ${etag:+-H "If-None-Match: $etag"} \
    -H "Prefer: wait=${WAIT_SECONDS:-50}" -D "$work/headers" -o "$work/inbox" -w '%{http_code}')
  case $status in
  304)
    echo unchanged
    grep -qi '^Preference-Applied:' "$work/headers" || sleep "${POLL_SECONDS:-5}"
    ;;
  200)
    etag=$(tr -d '\r' <"$work/headers" | sed -n 's/^[Ee][Tt][Aa][Gg]: //p')
    # One line for each alert, the oldest first.
    sed 's/{"id":"alr_/\
&/g' "$work/inbox" | sed -n 's/^{"id":"\(alr_[a-z0-9]*\)".*"title":"\(\([^"\\]\|\\.\)*\)".*/\1 \2/p' |
      sed -n '1!G;h;$p' | grep -vFf "$work/seen" >"$work/new" || true
    while read -r alert title; do
      echo "got $alert: $title"
      curl -sS --fail-with-body "$api/reports" -H "Authorization: Bearer $token" -H "Content-Type: application/json" \
        -d "{\"reports\": [{\"alert_id\": \"$alert\", \"kind\": \"read\"}, {\"alert_id\": \"$alert\", \"kind\": \"ack\"}]}" >/dev/null
      echo "$alert" >>"$work/seen"
      left=$((left - 1))
      [ "$left" -ne 0 ] || break
    done <"$work/new"
    ;;
  *)
    cat "$work/inbox" >&2
    exit 1
    ;;
  esac
done
