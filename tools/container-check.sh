#!/usr/bin/env bash
# Builds the image and checks what the documentation promises: it runs with a read-only root file system, without
# capabilities and not as root, is healthy with every web configuration, serves the page, and exits with 0 on SIGTERM.
# Usage: tools/container-check.sh        Needs podman (or CONTAINER_ENGINE=docker), and the base image within reach.
set -euo pipefail
cd "$(dirname "$0")/.."
engine=${CONTAINER_ENGINE:-podman}
image=stacks-exporter:check
name=stacks-exporter-check-$$
passed=0
ok() { passed=$((passed + 1)); echo "ok    $1"; }
fail() { echo "FAIL  $1"; "$engine" logs "$name" 2>&1 | tail -20 || true; exit 1; }
folder=$(mktemp -d)
trap '"$engine" rm -f "$name" >/dev/null 2>&1 || true; rm -r "$folder"' EXIT

format=(); [ "$engine" = podman ] && format=(--format docker)
"$engine" build "${format[@]}" ${PULL:---pull=never} -t "$image" --build-arg REVISION="$(git rev-parse HEAD 2>/dev/null || echo unknown)" . >/dev/null
ok "builds ($("$engine" image inspect "$image" --format '{{.Size}}' | awk '{printf "%.0f MB", $1 / 1e6}'))"

[ "$("$engine" image inspect "$image" --format '{{index .Config.Labels "org.opencontainers.image.licenses"}}')" = Apache-2.0 ] || fail "OCI labels"
ok "carries OCI labels"

"$engine" run -d --name "$name" --read-only --cap-drop ALL --security-opt no-new-privileges ${RUN_ARGS:-} "$image" demo --web.listen-address 0.0.0.0:10789 >/dev/null
inside() { "$engine" exec "$name" node -e "$1"; }
get() { inside "const wait = async () => { for (let n = 0; n < 100; n++) { try { const a = await fetch('http://127.0.0.1:10789$1'); if (a.ok) return a.text(); } catch {} await new Promise((r) => setTimeout(r, 100)); } throw new Error('no response'); }; wait().then((t) => process.stdout.write(t), () => process.exit(1));"; }

get /-/ready >/dev/null || fail "is ready"
ok "is ready with a read-only root file system and no capability"
page=$(get /metrics)
grep -q '^stacks_up{network="simulated"} 1$' <<<"$page" || fail "serves the page"
ok "serves the page ($(grep -vc '^#' <<<"$page") series)"
[ "$(inside 'process.stdout.write(String(process.getuid()))')" != 0 ] || fail "runs as root"
ok "does not run as root"
inside "require('fs').writeFileSync('/app/x', '')" 2>/dev/null && fail "the root file system can be written"
ok "cannot write to its root file system"
inside "process.exit(require('fs').existsSync('/app/node_modules') ? 1 : 0)" || fail "has node_modules"
ok "holds the bundle only"
for program in /bin/sh /usr/bin/sh /bin/bash /usr/bin/apt /usr/bin/dpkg /usr/local/bin/npm /usr/local/bin/npx; do
  inside "process.exit(require('fs').existsSync('$program') ? 1 : 0)" || fail "has $program"
done
ok "has no shell, no npm and no package manager"
inside "require('dns').lookup('localhost', (error) => process.exit(error ? 1 : 0))" || fail "resolves names"
ok "resolves names"
"$engine" healthcheck run "$name" >/dev/null 2>&1 || fail "health check"
ok "passes its health check"

started=$(date +%s%N)
"$engine" kill --signal TERM "$name" >/dev/null
code=$("$engine" wait "$name")
took=$(( ($(date +%s%N) - started) / 1000000 ))
[ "$code" = 0 ] || fail "ends with $code on SIGTERM"
[ "$took" -lt 5000 ] || fail "takes $took ms to end"
ok "ends with 0 on SIGTERM, after $took ms"
"$engine" rm -f "$name" >/dev/null

# As a pod runs it, with a page that requires a password.
printf '%s\n' 'basic_auth_users:' '  prometheus: $2y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG' >"$folder/web.yml"
chmod 755 "$folder" && chmod 644 "$folder/web.yml"
# run_demo OPTION… -- ARGUMENT…: options of the container, arguments of the program.
run_demo() {
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  "$engine" run -d --name "$name" --read-only --cap-drop ALL --security-opt no-new-privileges "${options[@]}" "$image" demo "$@" >/dev/null
}
is_healthy() { "$engine" healthcheck run "$name" >/dev/null 2>&1; }
status_of() { inside "fetch('http://127.0.0.1:$1').then((a) => process.stdout.write(String(a.status)), () => process.stdout.write('refused'))"; }
started() { for _ in $(seq 100); do [ "$(status_of "$1")" = refused ] || return 0; sleep 0.1; done; fail "listens on $1"; }

run_demo -v "$folder/web.yml:/etc/web.yml:ro" -- --web.listen-address :10789 --web.config.file /etc/web.yml --web.probe-address :10790
started 10789/
[ "$(status_of 10789/metrics)" = 401 ] || fail "requires a password"
is_healthy || fail "health check with a password"
[ "$(status_of 10790/-/healthy) $(status_of 10790/metrics)" = "200 404" ] || fail "serves probes alone on the probe address"
ok "passes its health check and probes while the page requires a password"
"$engine" rm -f "$name" >/dev/null
run_demo -e STACKS_EXPORTER_PROBE_ADDRESS=127.0.0.1:10792 -- --web.listen-address :10789
started 10789/
is_healthy || fail "health check with another probe address"
[ "$(status_of 10791/-/healthy) $(status_of 10792/-/healthy)" = "refused 200" ] || fail "listens on the probe address"
ok "passes its health check with another probe address"
"$engine" rm -f "$name" >/dev/null
run_demo -e STACKS_EXPORTER_PROBE_ADDRESS= -- --web.listen-address :10789
started 10789/
is_healthy && fail "the health check passes without a listener"
ok "fails its health check without a probe address"
"$engine" rm -f "$name" >/dev/null
"$engine" volume create "$name" >/dev/null
trap '"$engine" rm -f "$name" >/dev/null 2>&1 || true; "$engine" volume rm "$name" >/dev/null 2>&1 || true; rm -r "$folder"' EXIT
for round in first second; do
  "$engine" run -d --name "$name" --read-only --cap-drop ALL --security-opt no-new-privileges -v "$name:/data" "$image" --log.level warn >/dev/null
  # Not `get | grep -q`: grep ends at its match, and podman, which still writes, with SIGPIPE.
  grep -q '^stacks_exporter_state_damaged 0' <<<"$(get /metrics)" || fail "keeps its state on a volume (the $round time)"
  inside "process.exit(require('fs').existsSync('/data/state.db') ? 0 : 1)" || fail "writes /data/state.db"
  "$engine" kill --signal TERM "$name" >/dev/null; "$engine" wait "$name" >/dev/null; "$engine" rm "$name" >/dev/null
done
ok "keeps its state on a volume, with a read-only root file system"
echo "$passed passed, 0 failed"
