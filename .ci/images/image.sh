# The image by itself: first start, next start, kill -9, stop, read-only, another user, 192 MB. Run by .ci/containers.

timed "image: first start" started first -v belfry-first:/data
timed "image: stop" stop first
timed "image: next start" again first
timed "image: kill -9" killed first
timed "image: start after kill -9" again first
timed "image: every command" commands_in first
remove first
# The container ends by the signal itself, and not by SIGKILL after the grace period.
ends_early() {
  start early && sleep "$1" && contained stop -t 20 early >/dev/null && ended_with early '0|143'
}
for after in 0 0.05 0.1 0.2 0.5 1.5; do
  timed "image: SIGTERM $after s after the start" ends_early "$after"
  remove early
done
small=(--read-only --tmpfs /tmp --cap-drop=ALL --security-opt=no-new-privileges --memory=192m)
timed "image: read-only, no capabilities, 192 MB" started small "${small[@]}" -v belfry-small:/data
timed "image: stop with 192 MB" stop small
remove small
rm -rf "$work/other"
install -d -m 700 -o 12345 -g 12345 "$work/other"
timed "image: another user" started other --user=12345:12345 -v "$work/other:/data"
remove other
