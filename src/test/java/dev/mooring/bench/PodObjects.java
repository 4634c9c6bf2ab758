package dev.mooring.bench;

/**
 * Objects of {@link PodStartBenchmark}, with single quotes for double quotes. The containers exit on SIGTERM, so that
 * no grace period is measured.
 */
final class PodObjects {
    static final String DEFAULT = "/api/v1/namespaces/default/";
    static final String PODS = DEFAULT + "pods";
    static final String CLAIMS = DEFAULT + "persistentvolumeclaims";
    static final String VOLUMES = "/api/v1/persistentvolumes";

    static final String IMAGE = "busybox:latest";

    /** The command of all compared containers. */
    static final String SCRIPT = "trap exit TERM; sleep 100000 & wait";

    static final String EMPTY_DIR = "'emptyDir':{}";

    private PodObjects() {}

    /** @param source source of the Pod's volume */
    static String pod(String name, String source) {
        return "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + name
                + "'},'spec':{'terminationGracePeriodSeconds':2,'containers':[{'name':'c','image':'" + IMAGE
                + "','imagePullPolicy':'IfNotPresent','command':['sh','-c','" + SCRIPT
                + "'],'volumeMounts':[{'name':'v','mountPath':'/data'}]}],'volumes':[{'name':'v'," + source + "}]}}";
    }

    static String claimed(String claim) {
        return "'persistentVolumeClaim':{'claimName':'" + claim + "'}";
    }

    /** Returns a claim of the class that provisions a directory of the machine. */
    static String claim(String name) {
        return claim(name, "'storageClassName':'hostPath'");
    }

    /** Returns a claim for a given volume. */
    static String claimOf(String name, String volume) {
        return claim(name, "'storageClassName':'','volumeName':'" + volume + "'");
    }

    private static String claim(String name, String which) {
        return "{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'" + name + "'},'spec':{" + which
                + ",'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}";
    }

    /** Returns a volume for a directory of the machine. */
    static String volume(String name, String path) {
        return "{'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'" + name
                + "'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'hostPath':{'path':'" + path
                + "'}}}";
    }
}
