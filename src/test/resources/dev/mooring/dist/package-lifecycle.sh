# Runs in a clean Debian root with own namespaces: installs, uses, upgrades, removes and purges the package.
# /packages has two versions, old.deb and new.deb.
set -euo pipefail
export PATH=/usr/sbin:/usr/bin:/sbin:/bin KUBECONFIG=/var/lib/mooring/kubeconfig HOME=/root DEBIAN_FRONTEND=noninteractive
server=

step() { echo "step: $*"; }
fail() { echo "FAILED: $*"; tail -n 20 /tmp/server.err 2>/dev/null || true; exit 1; }
version_of() { dpkg-deb -f "$1" Version; }

# Starts the server as the unit does.
start() {
    local command
    command=$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/mooring.service)
    rm -f /tmp/ready
    mkfifo /tmp/ready
    $command >/tmp/ready 2>/tmp/server.err &
    server=$!
    read -r ready </tmp/ready || fail "the server did not become ready"
    [[ $ready == "ready https://127.0.0.1:7443 kubeconfig=/var/lib/mooring/kubeconfig" ]] || fail "ready line: $ready"
}

stop() {
    kill "$server"
    wait "$server" || fail "the server ended with $?"
}

step install
! command -v java >/dev/null || fail "the root has a Java"
dpkg -i /packages/old.deb >/tmp/install.log 2>&1 || fail "$(cat /tmp/install.log)"
[[ $(mooring --version) == mooring\ * ]] || fail "no version"
[[ -f /usr/lib/mooring/lib/mooring.jsa ]] || fail "no class archive"
[[ -L /etc/systemd/system/multi-user.target.wants/mooring.service ]] || fail "the unit is not enabled"
[[ $(stat -c %a /var/lib/mooring) == 711 ]] || fail "mode of /var/lib/mooring"
[[ -f /usr/share/man/man1/mooring-server.1.gz && -f /usr/share/bash-completion/completions/mooring ]] || fail "no manual"
bash -n /usr/share/bash-completion/completions/mooring || fail "completion"
dpkg -V mooring || fail "changed files"

step configure
sed -i 's/^runtime:.*/runtime: none # edited/' /etc/mooring/mooring.yaml
grep -q '^runtime: none # edited' /etc/mooring/mooring.yaml || fail "no setting runtime"
mooring check -o json | grep -q '"name" : "nfs-client"' || fail "mooring check"

step quick start
start
kubectl apply -f /usr/share/doc/mooring/examples/quick-start.yaml
kubectl wait --for=jsonpath='{.status.phase}'=Bound pvc/data --timeout=60s || fail "the claim is not Bound"
volume=$(kubectl get pvc data -o jsonpath='{.spec.volumeName}')
path=$(kubectl get pv "$volume" -o jsonpath='{.spec.hostPath.path}')
[[ $path == /var/lib/mooring/volumes/* ]] || fail "volume at $path"
echo precious >"$path/letter"

step upgrade
stop
dpkg -i /packages/new.deb >/tmp/install.log 2>&1 || fail "$(cat /tmp/install.log)"
[[ $(dpkg-query -W -f '${Version}' mooring) == "$(version_of /packages/new.deb)" ]] || fail "version"
grep -q '^runtime: none # edited' /etc/mooring/mooring.yaml || fail "the configuration was replaced"
start
[[ $(kubectl get pvc data -o jsonpath='{.status.phase} {.spec.volumeName}') == "Bound $volume" ]] || fail "claim lost"
[[ $(kubectl get pod writer -o jsonpath='{.metadata.name}') == writer ]] || fail "Pod lost"
[[ $(cat "$path/letter") == precious ]] || fail "data lost"
mooring log verify --data /var/lib/mooring | grep -q '^ok: ' || fail "log"
stop

step backup
mooring backup /tmp/mooring.backup --data /var/lib/mooring || fail "backup"

step remove
dpkg -r mooring >/tmp/remove.log 2>&1 || fail "$(cat /tmp/remove.log)"
[[ ! -e /usr/lib/mooring && ! -e /usr/bin/mooring ]] || fail "left over: $(find /usr/lib/mooring | head -5)"
[[ -f /etc/mooring/mooring.yaml && $(cat "$path/letter") == precious ]] || fail "remove deleted data or configuration"

step purge keeps volumes
dpkg -P mooring >/tmp/purge.log 2>&1 || fail "$(cat /tmp/purge.log)"
[[ ! -e /etc/mooring ]] || fail "configuration is left"
[[ ! -L /etc/systemd/system/multi-user.target.wants/mooring.service ]] || fail "the unit is still enabled"
[[ $(cat "$path/letter") == precious ]] || fail "purge deleted a volume"
grep -q 'kept /var/lib/mooring, because it contains volumes' /tmp/purge.log || fail "no message: $(cat /tmp/purge.log)"

step restore
rm -rf /var/lib/mooring
dpkg -i /packages/new.deb >/tmp/install.log 2>&1 || fail "$(cat /tmp/install.log)"
mooring restore /tmp/mooring.backup --data /var/lib/mooring || fail "restore"
sed -i 's/^runtime:.*/runtime: none/' /etc/mooring/mooring.yaml
start
[[ $(kubectl get pvc data -o jsonpath='{.status.phase} {.spec.volumeName}') == "Bound $volume" ]] || fail "not restored"
stop

step purge without volumes
dpkg -P mooring >/tmp/purge.log 2>&1 || fail "$(cat /tmp/purge.log)"
[[ ! -e /var/lib/mooring ]] || fail "left: $(find /var/lib/mooring | head -20)"
echo done
