package dev.mooring.bench;

import dev.mooring.cli.ServerAccess;

/**
 * Requests that create matching volumes and claims without a class, so that only binding happens. All objects of a set
 * share a namespace, a label and a name prefix. Immutable.
 */
final class BindObjects {
    private static final String VOLUMES = "/api/v1/persistentvolumes";
    private static final String SIZE = "10Gi";
    private static final String SMALL = "1Gi";

    private final ServerAccess access;
    private final String set;

    BindObjects(ServerAccess access, String set) {
        this.access = access;
        this.set = set;
    }

    RequestTemplate namespace() {
        return RequestTemplate.post(
                access,
                "/api/v1/namespaces",
                "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"" + set + "\"}}");
    }

    RequestTemplate volume() {
        return volume(SIZE);
    }

    /** Creates a volume that is too small for any of the claims. */
    RequestTemplate smallVolume() {
        return volume(SMALL);
    }

    private RequestTemplate volume(String size) {
        String name = "disk-" + set + "-#######";
        return RequestTemplate.post(
                access,
                VOLUMES,
                "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolume\",\"metadata\":{\"name\":\"" + name
                        + "\",\"labels\":{\"set\":\"" + set + "\"}},\"spec\":{\"capacity\":{\"storage\":\"" + size
                        + "\"},\"accessModes\":[\"ReadWriteOnce\"],\"persistentVolumeReclaimPolicy\":\"Retain\","
                        + "\"volumeMode\":\"Filesystem\",\"hostPath\":{\"path\":\"/srv/disks/" + name + "\"}}}");
    }

    /** Creates a claim for any volume. */
    RequestTemplate claim() {
        return claim("");
    }

    /** Creates a claim for the volume with the same number. */
    RequestTemplate claimOfItsVolume() {
        return claim(",\"volumeName\":\"disk-" + set + "-#######\"");
    }

    private RequestTemplate claim(String more) {
        return RequestTemplate.post(
                access,
                claims(),
                "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"metadata\":{\"name\":\"data-" + set
                        + "-#######\",\"namespace\":\"" + set
                        + "\",\"labels\":{\"app.kubernetes.io/name\":\"postgres\",\"tier\":\"database\"}},"
                        + "\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":\""
                        + SIZE + "\"}},\"storageClassName\":\"\",\"volumeMode\":\"Filesystem\"" + more + "}}");
    }

    private String claims() {
        return "/api/v1/namespaces/" + set + "/persistentvolumeclaims";
    }

    PhaseWatch watchClaims(ApiClients clients, int port, String phase) throws InterruptedException {
        RequestTemplate watch = RequestTemplate.get(access, claims() + "?watch=true", RequestTemplate.JSON);
        return PhaseWatch.open(clients, port, watch, "data-" + set + '-', phase);
    }

    PhaseWatch watchVolumes(ApiClients clients, int port, String phase) throws InterruptedException {
        String path = VOLUMES + "?watch=true&labelSelector=set%3D" + set;
        RequestTemplate watch = RequestTemplate.get(access, path, RequestTemplate.JSON);
        return PhaseWatch.open(clients, port, watch, "disk-" + set + '-', phase);
    }
}
