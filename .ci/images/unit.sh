# deploy/belfry.service in a Debian that systemd-nspawn boots. Run by .ci/containers.

if [[ -n $(missing systemd-nspawn) ]]; then
  skip_part "belfry.service: systemd-nspawn cannot be installed"
  return 0
fi
machine=$work/machine
machine_root() {
  rm -rf "$machine"
  mkdir -p "$machine" "$work/empty"
  build -t machine -f - "$work/empty" <<'END' || return
FROM localhost/belfry
USER 0
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    systemd systemd-sysv dbus >/dev/null && rm -rf /var/lib/apt/lists/*
RUN install -d /opt/belfry/bin && ln -s /belfry/dist/src/cli.js /opt/belfry/bin/belfry
END
  local id
  id=$(podman create machine) || return
  podman export "$id" | tar -x -C "$machine" || return
  podman rm "$id"
  cp deploy/belfry.service "$machine/etc/systemd/system/" &&
    ln -s ../belfry.service "$machine/etc/systemd/system/multi-user.target.wants/belfry.service"
}
boot() {
  nsenter --net=/run/netns/"$network" systemd-nspawn --quiet --boot --directory="$machine" --register=no --keep-unit \
    --console=pipe >"$work/boot" 2>&1 </dev/null &
  machine_pid=$!
  is_ready || { tail -20 "$work/boot"; return 1; }
}
in_machine() { nsenter --target "$(pgrep -P "$machine_pid")" --mount --uts --ipc --net --pid -- "$@"; }
service() { in_machine systemctl "$@" belfry.service; }
killed_service() { service kill --signal=KILL --kill-whom=main && is_ready; }
service_started() { service start && is_ready; }
exposure() { in_machine systemd-analyze security --no-pager belfry.service | tail -1; }
off() { kill "$machine_pid" && wait "$machine_pid"; }

timed "belfry.service: Debian with systemd" machine_root
timed "belfry.service: boot until ready" boot
timed "belfry.service: stop" service stop
timed "belfry.service: start until ready" service_started
timed "belfry.service: ready again after kill -9" killed_service
report "belfry.service: $(exposure 2>/dev/null | grep -oE 'level.*[0-9.]+ [A-Z]+')"
timed "belfry.service: power off" off
machine_pid=
