#!/bin/sh
# Opens a channel unless it is there, writes an alert as a draft, and sends it. Needs a POSIX shell and curl.
#   BELFRY_API_KEY=bfk_… sh examples/publish.sh HANDLE TITLE
set -eu

handle=${1:?usage: publish.sh HANDLE TITLE}
title=${2:?usage: publish.sh HANDLE TITLE}
api=${BELFRY_URL:-http://localhost:8787}/api/v1
key=${BELFRY_API_KEY:?the key of a member, bfk_…; npm start prints one the first time}

# A call that is repeated under the same key does nothing twice, so curl may try again after a lost answer.
run=$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')

# call METHOD PATH [JSON [KEY]]: prints the answer; a refusal goes to standard error and ends the script.
call() {
  answer=$(curl -sS --fail-with-body --retry 3 -X "$1" "$api$2" -H "Authorization: Bearer $key" \
    ${3:+-H "Content-Type: application/json" -d "$3"} ${4:+-H "Idempotency-Key: $run-$4"}) ||
    { printf '%s\n' "$answer" >&2; return 1; }
  printf '%s' "$answer"
}
# The first id of a kind in an answer.
id() { sed -n "s/.*\"id\":\"\($1_[a-z0-9]*\)\".*/\1/p"; }
quoted() { printf '%s' "$1" | sed 's/[\\"]/\\&/g'; }

channel=$(call GET "/pushers?handle=$handle" | id psh)
if [ -z "$channel" ]; then
  answer=$(call POST /pushers "{\"handle\": \"$handle\", \"name\": \"$handle\", \"category\": \"community\",
    \"description\": \"Opened by an example\", \"requested_perms\": [\"notify\", \"sound\"]}" open)
  channel=$(printf '%s' "$answer" | id psh)
  echo "opened $channel"
fi

answer=$(call POST "/pushers/$channel/alerts" "{\"title\": \"$(quoted "$title")\", \"requires_ack\": true}" draft)
# The answer's first id is the alert's own.
alert=$(printf '%s' "$answer" | sed 's/"pusher_id".*//' | id alr)
echo "drafted $alert"

call PATCH "/pushers/$channel/alerts/$alert" '{"action": "send"}' >/dev/null
echo "sent $alert"
