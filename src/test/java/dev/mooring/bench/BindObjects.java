package dev.mooring.bench;

import dev.mooring.cli.client.ServerAccess;

/**
 * Requests that create volumes and claims of no class which fit each other, so that nothing but binding happens to them. All of one set have
 * a namespace, a label and a beginning of their names in common. Immutable.
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

    ApiRequest namespace() {
        return ApiRequest.post(
                access,
                "/api/v1/namespaces",
                "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"" + set + "\"}}");
    }

    ApiRequest volume() {
        return volume(SIZE);
    }

    /** Too small for any of the claims. */
    ApiRequest smallVolume() {
        return volume(SMALL);
    }

    private ApiRequest volume(String size) {
        String name = "disk-" + set + "-#######";
        return ApiRequest.post(
                access,
                VOLUMES,
                "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolume\",\"metadata\":{\"name\":\"" + name
                        + "\",\"labels\":{\"set\":\"" + set + "\"}},\"spec\":{\"capacity\":{\"storage\":\"" + size
                        + "\"},\"accessModes\":[\"ReadWriteOnce\"],\"persistentVolumeReclaimPolicy\":\"Retain\","
                        + "\"volumeMode\":\"Filesystem\",\"hostPath\":{\"path\":\"/srv/disks/" + name + "\"}}}");
    }

    /** Takes any volume. */
    ApiRequest claim() {
        return claim("");
    }

    /** Asks for the volume with its own number. */
    ApiRequest claimOfItsVolume() {
        return claim(",\"volumeName\":\"disk-" + set + "-#######\"");
    }

    private ApiRequest claim(String more) {
        return ApiRequest.post(
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
        ApiRequest watch = ApiRequest.get(access, claims() + "?watch=true", ApiRequest.JSON);
        return PhaseWatch.open(clients, port, watch, "data-" + set + '-', phase);
    }

    PhaseWatch watchVolumes(ApiClients clients, int port, String phase) throws InterruptedException {
        String path = VOLUMES + "?watch=true&labelSelector=set%3D" + set;
        ApiRequest watch = ApiRequest.get(access, path, ApiRequest.JSON);
        return PhaseWatch.open(clients, port, watch, "disk-" + set + '-', phase);
    }
}
