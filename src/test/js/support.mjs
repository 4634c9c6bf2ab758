/** Objects and events for the tests of the web page's modules. */
export const UI = "../../main/resources/dev/mooring/ui/js/core/";

export function claim(name, phase, more = {}) {
    return {
        kind: "PersistentVolumeClaim",
        apiVersion: "v1",
        metadata: { name, namespace: "default", uid: `uid-${name}`, ...more.metadata },
        spec: { storageClassName: "hostPath", resources: { requests: { storage: "1Gi" } }, ...more.spec },
        status: { phase, ...more.status },
    };
}

export function volume(name, phase, claimName) {
    const claimRef = claimName ? { namespace: "default", name: claimName } : undefined;
    return {
        kind: "PersistentVolume",
        apiVersion: "v1",
        metadata: { name },
        spec: { storageClassName: "hostPath", capacity: { storage: "1Gi" }, claimRef },
        status: { phase },
    };
}

export function pod(name, claims, more = {}) {
    return {
        kind: "Pod",
        apiVersion: "v1",
        metadata: { name, namespace: "default", uid: `uid-${name}` },
        spec: {
            nodeName: "n1",
            containers: [{ name: "main" }],
            volumes: claims.map((each, index) => ({ name: `v${index}`, persistentVolumeClaim: { claimName: each } })),
        },
        status: { phase: "Running", containerStatuses: [{ name: "main", ready: true, state: { running: {} } }] },
        ...more,
    };
}

const podRef = (name) => ({ namespace: "default", name, uid: `uid-${name}` });

export function desired(podName, volumeName, status = {}) {
    return {
        kind: "DesiredVolume",
        apiVersion: "mooring.dev/v1",
        metadata: { name: `${podName}.${volumeName}` },
        spec: { node: "n1", pod: podRef(podName), volumeName, plugin: "kubernetes.io/nfs", volume: `nfs/${podName}` },
        status,
    };
}

export function actual(podName, volumeName, mount) {
    return {
        kind: "ActualVolume",
        apiVersion: "mooring.dev/v1",
        metadata: { name: `${podName}.${volumeName}.actual` },
        spec: { node: "n1", plugin: "kubernetes.io/nfs", volume: `nfs/${podName}` },
        status: { state: mount.state, mounts: [{ pod: podRef(podName), volumeName, ...mount }] },
    };
}

const PLURALS = {
    PersistentVolumeClaim: "persistentvolumeclaims",
    PersistentVolume: "persistentvolumes",
    Pod: "pods",
    ActualVolume: "actualvolumes",
    DesiredVolume: "desiredvolumes",
    Event: "events",
};

/** Returns an item of the history API. Changes are [change, object]. */
export function item(revision, type, ...changes) {
    return {
        revision,
        time: new Date(1_700_000_000_000 + revision * 1000).toISOString(),
        type,
        actor: "test",
        changes: changes.map(([change, object]) => ({
            change,
            resource: PLURALS[object.kind],
            kind: object.kind,
            namespace: object.metadata.namespace,
            name: object.metadata.name,
            object,
        })),
    };
}
