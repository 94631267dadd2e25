#!/bin/sh
# A handset: joins a channel, long-polls its inbox, prints each new alert and reports it as read and acknowledged. Needs a
# POSIX shell and curl. It keeps its token in a file that only its user reads, and so stays the same subscriber.
#   sh examples/handset.sh HANDLE [COUNT]      ends after COUNT alerts; goes on for ever without it
set -eu
handle=${1:?usage: handset.sh HANDLE [COUNT]} left=${2:--1}
api=${BELFRY_URL:-http://localhost:8787}/handset/v1
kept=${BELFRY_DEVICE_FILE:-$HOME/.belfry-handset}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
json='Content-Type: application/json'

# The token goes to curl through a file: what stands among a program's arguments, everybody on the machine can read.
ask() {
  curl -sS --retry 6 --retry-connrefused --fail-with-body -K "$kept" -o "$work/answer" "$@" || { cat "$work/answer" >&2; exit 1; }
}

# Registering asks for no account, and shows the token once.
[ -s "$kept" ] || (umask 077 && curl -sS --fail-with-body "$api/devices" -H "$json" \
  -d '{"platform": "cli", "app_version": "1.0", "locale": "en", "timezone": "UTC"}' |
  sed -n 's/.*"token":"\([A-Za-z0-9_]*\)".*/header = "Authorization: Bearer \1"/p' >"$kept")
ask -X PUT "$api/subscriptions/$handle" -H "$json" -d '{"permissions": ["notify", "sound"]}'
echo "joined $handle"

etag=
: >"$work/seen"
while [ "$left" -ne 0 ]; do
  # Waits until a change, or for WAIT_SECONDS: 304. A response that did not wait lacks the header; a pause follows.
  status=$(ask "$api/inbox?view=lean" ${etag:+-H "If-None-Match: $etag"} -H "Prefer: wait=${WAIT_SECONDS:-50}" \
    -D "$work/headers" -w '%{http_code}')
  if [ "$status" = 304 ]; then
    echo unchanged
    grep -qi '^Preference-Applied:' "$work/headers" || sleep "${POLL_SECONDS:-5}"
    continue
  fi
  etag=$(tr -d '\r' <"$work/headers" | sed -n 's/^[Ee][Tt][Aa][Gg]: //p')
  # One line for each alert, the oldest first.
  sed 's/{"id":"alr_/\
&/g' "$work/answer" | sed -n 's/^{"id":"\(alr_[a-z0-9]*\)".*"title":"\(\([^"\\]\|\\.\)*\)".*/\1 \2/p' |
    sed -n '1!G;h;$p' | grep -vFf "$work/seen" >"$work/new" || true
  while read -r alert title && [ "$left" -ne 0 ]; do
    echo "got $alert: $title"
    ask "$api/reports" -H "$json" \
      -d "{\"reports\": [{\"alert_id\": \"$alert\", \"kind\": \"read\"}, {\"alert_id\": \"$alert\", \"kind\": \"ack\"}]}"
    echo "$alert" >>"$work/seen"
    left=$((left - 1))
  done <"$work/new"
done
