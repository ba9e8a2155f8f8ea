#!/usr/bin/env bash
# Starts deploy/compose.yaml and checks what the documentation promises: all services are healthy, Prometheus scrapes
# the exporter and has the rules, an alert is sent through Alertmanager to a webhook, ports listen on the loopback
# address only, and all services end on SIGTERM.
#
# If the images of Prometheus and Alertmanager cannot be pulled, images with Debian's packages replace them. Grafana has
# no replacement: without its image it is left out. The script reports both.
# Usage: tools/stack-check.sh        Needs podman, podman-compose, Node.js and the exporter's base image.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/node_modules/.bin:$PATH
project=stacks-check-$$
folder=$(mktemp -d)
# Free ports, so that a running stack is not disturbed.
read -r EXPORTER_PORT PROMETHEUS_PORT ALERTMANAGER_PORT GRAFANA_PORT < <(node -e "
  const servers = [1, 2, 3, 4].map(() => require('net').createServer().listen(0, '127.0.0.1'));
  setTimeout(() => { console.log(servers.map((server) => server.address().port).join(' ')); process.exit(); }, 50);")
export EXPORTER_PORT PROMETHEUS_PORT ALERTMANAGER_PORT GRAFANA_PORT
compose=(podman-compose -p "$project" -f deploy/compose.yaml -f "$folder/check.yaml")
services=(exporter prometheus alertmanager webhook)
passed=0
ok() { passed=$((passed + 1)); echo "ok    $1"; }
fail() {
  echo "FAIL  $1"
  for service in "${services[@]}"; do echo "-- $service"; podman logs --tail 15 "${project}_${service}_1" 2>&1 || true; done
  exit 1
}
trap '"${compose[@]}" down -v -t 5 >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT

image_of() { node -p "require('yaml').parse(require('fs').readFileSync('deploy/compose.yaml', 'utf8'), { merge: true }).services['$1'].image"; }
within_reach() { podman image exists "$1" || timeout 30 podman pull -q "$1" >/dev/null 2>&1; }

# stand_in NAME DATA BINARY…: builds an image with the installed programs, at the paths of the real image.
stand_in() {
  local name=$1 data=$2 context=$folder/$1; shift 2
  mkdir -p "$context"
  for program in "$@"; do command -v "$program" >/dev/null || fail "no image of $name, and no $program installed"; cp "$(command -v "$program")" "$context"; done
  [ ! -f "$context/prometheus-alertmanager" ] || mv "$context/prometheus-alertmanager" "$context/alertmanager"
  cp -r /usr/share/prometheus "$context/share"
  printf '%s\n' "FROM docker.io/library/node:24-slim" "COPY share /usr/share/prometheus" "COPY $name ${*: -1} /bin/" \
    "RUN mkdir $data && chown 65534:65534 $data" "USER 65534" "ENTRYPOINT [\"/bin/$name\"]" >"$folder/$name.Dockerfile"
  podman build --pull=never --format docker -q -t "localhost/stand-in-$name" -f "$folder/$name.Dockerfile" "$context" >/dev/null
  echo "note  $(image_of "$name") is not available: Debian's $("$folder/$name/$name" --version 2>&1 | awk 'NR == 1 { print $1, $3 }') replaces it"
}

podman build --pull=never --format docker -q -t "$(image_of exporter)" . >/dev/null
ok "the exporter's image builds"

{
  echo "services:"
  # Every notification as one line of its log. It runs what the exporter's image has: Node.js.
  echo "  webhook:"
  echo "    image: $(image_of exporter)"
  echo "    read_only: true"
  echo "    cap_drop: [ALL]"
  echo "    entrypoint: [node, -e, \"require('node:http').createServer(async (request, response) => { let body = ''; for await (const part of request) body += part; console.log(body); response.end(); }).listen(8080)\"]"
} >"$folder/check.yaml"
within_reach "$(image_of alertmanager)" || { stand_in alertmanager /alertmanager prometheus-alertmanager amtool; printf '%s\n' "  alertmanager:" "    image: localhost/stand-in-alertmanager" >>"$folder/check.yaml"; }
within_reach "$(image_of prometheus)" || { stand_in prometheus /prometheus prometheus promtool; printf '%s\n' "  prometheus:" "    image: localhost/stand-in-prometheus" >>"$folder/check.yaml"; }
if within_reach "$(image_of grafana)"; then services+=(grafana); else echo "note  $(image_of grafana) is not available: Grafana is left out"; fi

# The receivers as they are configured, each with an address.
node -e "
  const { readFileSync, writeFileSync } = require('fs'), yaml = require('yaml');
  const config = yaml.parse(readFileSync('alerts/generated/alertmanager.yaml', 'utf8'));
  for (const receiver of config.receivers) receiver.webhook_configs = [{ url: 'http://webhook:8080/' + receiver.name, send_resolved: true }];
  writeFileSync('$folder/alertmanager.yml', yaml.stringify(config));"
chmod 755 "$folder" && chmod 644 "$folder/alertmanager.yml"
export ALERTMANAGER_CONFIG=$folder/alertmanager.yml

"${compose[@]}" up -d "${services[@]}" >"$folder/up.log" 2>&1 || { cat "$folder/up.log"; fail "starts"; }
ok "starts with one command"

# until_true WHAT SECONDS COMMAND…: tries once a second.
until_true() {
  local what=$1 left=$2; shift 2
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || fail "$what"
    sleep 1
  done
  ok "$what"
}
# json URL EXPRESSION: true when the expression over the response `a` is.
json() { node -e "fetch('$1').then((response) => response.json()).then((a) => process.exit($2 ? 0 : 1), () => process.exit(1))"; }
prometheus=http://127.0.0.1:$PROMETHEUS_PORT/api/v1

for service in "${services[@]}"; do
  [ "$service" = webhook ] || until_true "$service is healthy by its own health check" 90 podman healthcheck run "${project}_${service}_1"
done
until_true "Prometheus scrapes the exporter, Alertmanager and itself" 60 \
  json "$prometheus/query?query=sum(up)" "a.data.result[0].value[1] === '3'"
until_true "the exporter has its chain" 60 json "$prometheus/query?query=stacks_up" "a.data.result[0].value[1] === '1'"
rules=$(node -p "
  const { readFileSync } = require('fs'), yaml = require('yaml');
  ['deploy/prometheus/watchdog.yaml', 'alerts/generated/recording.rules.yaml', 'alerts/generated/alerts.rules.yaml']
    .flatMap((file) => yaml.parse(readFileSync(file, 'utf8')).groups.flatMap(({ rules }) => rules)).length")
# Baselines are evaluated every five minutes: within the time of this check, they may not have been yet.
until_true "Prometheus has all $rules rules, and evaluates them without an error" 90 json "$prometheus/rules" "
  a.data.groups.flatMap((group) => group.rules).length === $rules &&
  a.data.groups.every((group) => group.rules.every((rule) => rule.health === 'ok' || (rule.health === 'unknown' && group.interval > 60)))"
until_true "Prometheus has found Alertmanager" 60 json "$prometheus/alertmanagers" "a.data.activeAlertmanagers.length === 1"
until_true "the alert that always fires reaches the webhook" 90 \
  sh -c "podman logs '${project}_webhook_1' 2>&1 | grep -q '\"alertname\":\"Watchdog\"'"
if [[ " ${services[*]} " = *" grafana "* ]]; then
  until_true "Grafana has the dashboards" 60 json "http://127.0.0.1:$GRAFANA_PORT/api/search?tag=stacks-exporter" "a.length === $(ls dashboards/json | wc -l)"
fi

address=$(hostname -I | awk '{ print $1 }')
for service in "${services[@]}"; do
  container=${project}_${service}_1
  if podman port "$container" | grep -v ' 127\.0\.0\.1:'; then fail "$service listens beyond the loopback address"; fi
  [ "$(podman inspect "$container" --format '{{.HostConfig.ReadonlyRootfs}}')" = true ] || fail "$service can write to its root"
  # As the kernel sees its first process: user, and capabilities.
  status=/proc/$(podman inspect "$container" --format '{{.State.Pid}}')/status
  awk '/^Uid:/ && $2 == 0 { exit 1 }' "$status" || fail "$service runs as root"
  grep -q '^CapEff:[[:space:]]*0*$' "$status" || fail "$service has capabilities"
done
for port in "$EXPORTER_PORT" "$PROMETHEUS_PORT" "$ALERTMANAGER_PORT"; do
  if timeout 3 bash -c "exec 3<>/dev/tcp/$address/$port" 2>/dev/null; then fail "port $port accepts connections on $address"; fi
done
ok "ports on 127.0.0.1 only; root file systems read-only; no service runs as root or has a capability"

for service in exporter prometheus alertmanager; do
  container=${project}_${service}_1
  started=$(date +%s%N)
  podman stop -t 15 "$container" >"$folder/stop.log" 2>&1 || { cat "$folder/stop.log"; fail "$service stops"; }
  code=$(podman inspect "$container" --format '{{.State.ExitCode}}')
  [ "$code" = 0 ] || fail "$service ends with $code on SIGTERM"
  ok "$service ends with 0 on SIGTERM, after $(( ($(date +%s%N) - started) / 1000000 )) ms"
done
echo "$passed passed, 0 failed"
