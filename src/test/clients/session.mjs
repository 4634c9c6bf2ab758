/** A session of the Node.js client (@kubernetes/client-node): CRUD, watch, patch, logs, exec. Run by ClientLibrariesTest. */
import { strict as assert } from "node:assert";
import { createRequire } from "node:module";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";

const [kubeconfig, installed] = process.argv.slice(2);
const k8s = await import(pathToFileURL(createRequire(installed + "/").resolve("@kubernetes/client-node")));

const config = new k8s.KubeConfig();
config.loadFromFile(kubeconfig);
const core = config.makeApiClient(k8s.CoreV1Api);
const namespace = "node-client";

const ok = (what, found, expected) => {
    assert.deepEqual(found, expected, what);
    console.log("ok " + what);
};

/** Collects the bytes of a stream as text. */
const collected = () => {
    const stream = new PassThrough();
    let text = "";
    stream.on("data", (chunk) => (text += chunk));
    return { stream, text: () => text };
};

/** Watches a path until the handler returns true for an event. */
const watchUntil = (path, query, handler) =>
    new Promise((resolve, reject) => {
        let request;
        let done = false;
        const finish = () => {
            done = true;
            request?.abort();
            resolve();
        };
        new k8s.Watch(config)
            .watch(
                path,
                query,
                (type, object) => !done && handler(type, object) && finish(),
                (error) => (done ? resolve() : reject(error ?? new Error("the watch of " + path + " ended"))),
            )
            .then((started) => {
                request = started;
                if (done) started.abort();
            }, reject);
    });

await core.createNamespace({ body: { metadata: { name: namespace } } });
const maps = `/api/v1/namespaces/${namespace}/configmaps`;
const start = (await core.listNamespacedConfigMap({ namespace })).metadata.resourceVersion;
const seen = [];
const watched = watchUntil(maps, { resourceVersion: start }, (type, object) => {
    if (object.metadata.name === "settings") seen.push([type, object.data?.color]);
    return type === "DELETED";
});

await core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name: "settings", labels: { app: "demo" } }, data: { color: "red" } },
});
const found = await core.readNamespacedConfigMap({ namespace, name: "settings" });
ok("read", found.data, { color: "red" });
found.data.color = "green";
await core.replaceNamespacedConfigMap({ namespace, name: "settings", body: found });
await core.patchNamespacedConfigMap(
    { namespace, name: "settings", body: { data: { color: "blue" } } },
    k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.MergePatch),
);
const listed = await core.listNamespacedConfigMap({ namespace, labelSelector: "app=demo" });
ok("list", listed.items.map((each) => each.data.color), ["blue"]);
await assert.rejects(core.replaceNamespacedConfigMap({ namespace, name: "settings", body: found }), { code: 409 });
console.log("ok conflict");
await core.deleteNamespacedConfigMap({ namespace, name: "settings" });
await assert.rejects(core.readNamespacedConfigMap({ namespace, name: "settings" }), { code: 404 });
console.log("ok deleted");
await watched;
ok("watch", seen, [
    ["ADDED", "red"],
    ["MODIFIED", "green"],
    ["MODIFIED", "blue"],
    ["DELETED", "blue"],
]);

await core.createNamespacedPersistentVolumeClaim({
    namespace,
    body: {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
    },
});
await core.createNamespacedPod({
    namespace,
    body: {
        metadata: { name: "app" },
        spec: {
            terminationGracePeriodSeconds: 1,
            containers: [
                {
                    name: "c",
                    image: "busybox:latest",
                    imagePullPolicy: "IfNotPresent",
                    command: ["sh", "-c", "echo hello > /data/file; cat /data/file; exec sleep 3600"],
                    volumeMounts: [{ name: "data", mountPath: "/data" }],
                },
            ],
            volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
        },
    },
});
await watchUntil(`/api/v1/namespaces/${namespace}/pods`, {}, (type, pod) => pod.status?.phase === "Running");

const log = new PassThrough();
const following = await new k8s.Log(config).log(namespace, "app", "c", log, { follow: true });
const line = await new Promise((resolve) => log.once("data", (chunk) => resolve(String(chunk))));
following.abort();
ok("logs", line, "hello\n");

const out = collected();
const err = collected();
const status = await new Promise((resolve, reject) =>
    new k8s.Exec(config)
        .exec(namespace, "app", "c", ["sh", "-c", "cat; echo problem >&2; exit 3"], out.stream, err.stream,
            PassThrough.from(["from stdin\n"]), false, resolve)
        .catch(reject),
);
ok("exec stdout", out.text(), "from stdin\n");
ok("exec stderr", err.text(), "problem\n");
ok("exec exit code", status.details.causes[0].message, "3");
await core.deleteNamespace({ name: namespace });
console.log("done");
process.exit(0);
