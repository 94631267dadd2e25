# The image of 0.2.0 with data, upgraded on its volume to the present one, and back as the upgrade notes describe.
# Run by .ci/containers.

released=$(git rev-parse -q --verify "v0.2.0^{commit}" || git log -1 --format=%H --grep="^Make 0.2.0, ") || true
if [[ -z $released ]]; then
  skip_part "upgrade: the history lacks 0.2.0"
  return 0
fi
old_image() {
  rm -rf "$work/old"
  mkdir -p "$work/old"
  git archive "$released" | tar -x -C "$work/old" &&
    build "${registries[@]}" -f "$work/old/deploy/Dockerfile" -t belfry-old "$work/old"
}
backups=$work/backups
in_old() { contained exec old belfry "$@"; }
some_data() {
  local n
  channel in_old || return
  for n in {1..20}; do send "Send $n" || return; done
  for n in {1..100}; do draft "Draft $n" || return; done
  titles | sort >"$work/before"
}
# A disk that is too full ends the start before the first change.
refused_without_space() {
  local output
  output=$(contained run --rm --network=host -e MIN_FREE_DISK_MB=1000000000 -v belfry-data:/data belfry 2>&1) || true
  echo "$output"
  [[ $output == *"free disk space, but upgrading"* ]]
}
replaced() {
  contained stop -t 20 old && refused_without_space && started new -v belfry-data:/data &&
    until_ has_acknowledged "$EPOCHREALTIME"
}
upgraded() { with_writer "During the upgrade" replaced && all_there && contained exec new belfry doctor; }
restored() {
  local backup
  backup=$(cd "$backups" && ls -d belfry-*) || return
  contained stop -t 20 new || return
  contained run --rm -v "$backups:/backups" -v belfry-restored:/data belfry-old \
    belfry restore "/backups/$backup" || return
  image=belfry-old started restored -v belfry-restored:/data || return
  titles | sort | diff "$work/before" -
}

rm -rf "$backups"
install -d -o 10001 -g 10001 "$backups"
timed "upgrade: image of 0.2.0" old_image
image=belfry-old timed "upgrade: start of 0.2.0" started old -v "$backups:/backups" -v belfry-data:/data
timed "upgrade: data in 0.2.0" some_data
timed "upgrade: backup by 0.2.0" in_old backup /backups
timed "upgrade: 0.2.0 is replaced while a client writes" upgraded
timed "upgrade: the backup restored with 0.2.0" restored
remove old new restored
