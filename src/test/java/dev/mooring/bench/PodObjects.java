package dev.mooring.bench;

/**
 * The objects of {@link PodStartBenchmark}, with single quotes for double ones. Their containers end when they are asked to: what is waited for
 * is not their grace.
 */
final class PodObjects {
    static final String DEFAULT = "/api/v1/namespaces/default/";
    static final String PODS = DEFAULT + "pods";
    static final String CLAIMS = DEFAULT + "persistentvolumeclaims";
    static final String VOLUMES = "/api/v1/persistentvolumes";

    static final String IMAGE = "busybox:latest";

    /** The same for all who are compared. */
    static final String SCRIPT = "trap exit TERM; sleep 100000 & wait";

    static final String EMPTY_DIR = "'emptyDir':{}";

    private PodObjects() {}

    /** @param source of its volume */
    static String pod(String name, String source) {
        return "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + name
                + "'},'spec':{'terminationGracePeriodSeconds':2,'containers':[{'name':'c','image':'" + IMAGE
                + "','imagePullPolicy':'IfNotPresent','command':['sh','-c','" + SCRIPT
                + "'],'volumeMounts':[{'name':'v','mountPath':'/data'}]}],'volumes':[{'name':'v'," + source + "}]}}";
    }

    static String claimed(String claim) {
        return "'persistentVolumeClaim':{'claimName':'" + claim + "'}";
    }

    /** Of the class that makes a directory of the machine for it. */
    static String claim(String name) {
        return claim(name, "'storageClassName':'hostPath'");
    }

    /** For one volume, made by hand. */
    static String claimOf(String name, String volume) {
        return claim(name, "'storageClassName':'','volumeName':'" + volume + "'");
    }

    private static String claim(String name, String which) {
        return "{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'" + name + "'},'spec':{" + which
                + ",'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}";
    }

    /** A directory of the machine. */
    static String volume(String name, String path) {
        return "{'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'" + name
                + "'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'hostPath':{'path':'" + path
                + "'}}}";
    }
}
