"""A session of the Python client (Debian's python3-kubernetes): CRUD, watch, patch, logs, exec. Run by ClientLibrariesTest."""

import sys
import threading

from kubernetes import client, config, watch
from kubernetes.stream import stream

config.load_kube_config(config_file=sys.argv[1])
core = client.CoreV1Api()
namespace = "python"


def check(what, found, expected):
    if found != expected:
        raise SystemExit(f"{what}: expected {expected!r}, found {found!r}")
    print(f"ok {what}")


core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=namespace)))

# Watch from the revision before the first change, so that no event can be missed.
start = core.list_namespaced_config_map(namespace).metadata.resource_version
seen = []
started = threading.Event()


def follow():
    watching = watch.Watch()
    started.set()
    for event in watching.stream(core.list_namespaced_config_map, namespace, resource_version=start):
        if event["object"].metadata.name == "settings":
            seen.append((event["type"], (event["object"].data or {}).get("color")))
            if event["type"] == "DELETED":
                watching.stop()


follower = threading.Thread(target=follow, daemon=True)
follower.start()
started.wait()

core.create_namespaced_config_map(
    namespace,
    client.V1ConfigMap(metadata=client.V1ObjectMeta(name="settings", labels={"app": "demo"}), data={"color": "red"}),
)
found = core.read_namespaced_config_map("settings", namespace)
check("read", found.data, {"color": "red"})
found.data["color"] = "green"
core.replace_namespaced_config_map("settings", namespace, found)
core.patch_namespaced_config_map("settings", namespace, {"data": {"color": "blue"}})
listed = core.list_namespaced_config_map(namespace, label_selector="app=demo")
check("list", [each.data["color"] for each in listed.items], ["blue"])
try:
    core.replace_namespaced_config_map("settings", namespace, found)
    raise SystemExit("a stale resourceVersion was accepted")
except client.ApiException as e:
    check("conflict", e.status, 409)
core.delete_namespaced_config_map("settings", namespace)
try:
    core.read_namespaced_config_map("settings", namespace)
    raise SystemExit("the object exists after its deletion")
except client.ApiException as e:
    check("deleted", e.status, 404)
follower.join()
check("watch", seen, [("ADDED", "red"), ("MODIFIED", "green"), ("MODIFIED", "blue"), ("DELETED", "blue")])

core.create_namespaced_persistent_volume_claim(
    namespace,
    client.V1PersistentVolumeClaim(
        metadata=client.V1ObjectMeta(name="data"),
        spec=client.V1PersistentVolumeClaimSpec(
            access_modes=["ReadWriteOnce"], resources=client.V1ResourceRequirements(requests={"storage": "1Mi"})
        ),
    ),
)
core.create_namespaced_pod(
    namespace,
    client.V1Pod(
        metadata=client.V1ObjectMeta(name="app"),
        spec=client.V1PodSpec(
            termination_grace_period_seconds=1,
            containers=[
                client.V1Container(
                    name="c",
                    image="busybox:latest",
                    image_pull_policy="IfNotPresent",
                    command=["sh", "-c", "echo hello > /data/file; cat /data/file; exec sleep 3600"],
                    volume_mounts=[client.V1VolumeMount(name="data", mount_path="/data")],
                )
            ],
            volumes=[
                client.V1Volume(
                    name="data",
                    persistent_volume_claim=client.V1PersistentVolumeClaimVolumeSource(claim_name="data"),
                )
            ],
        ),
    ),
)


def until(name, condition):
    watching = watch.Watch()
    for event in watching.stream(core.list_namespaced_pod, namespace, field_selector=f"metadata.name={name}"):
        if condition(event):
            watching.stop()


until("app", lambda event: event["object"].status.phase == "Running")
for line in watch.Watch().stream(core.read_namespaced_pod_log, "app", namespace):
    check("logs", line, "hello")
    break
output = stream(
    core.connect_get_namespaced_pod_exec,
    "app",
    namespace,
    command=["sh", "-c", "cat /data/file; echo problem >&2; exit 3"],
    stdout=True,
    stderr=True,
    stdin=False,
    tty=False,
    _preload_content=False,
)
output.run_forever(timeout=120)
check("exec stdout", output.read_stdout(), "hello\n")
check("exec stderr", output.read_stderr(), "problem\n")
check("exec exit code", output.returncode, 3)
core.delete_namespace(namespace)
print("done")
