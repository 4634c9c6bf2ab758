package dev.mooring.conformance;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Manifests for tests of a node, as JSON with single quotes. */
final class NodeObjects {
    private NodeObjects() {}

    /** A Pod whose container uses volumes v0, v1, … with these sources, such as {@code 'emptyDir':{}}. */
    static String pod(String name, List<String> sources, String... more) {
        String mounts = IntStream.range(0, sources.size())
                .mapToObj(i -> "{'name':'v" + i + "','mountPath':'/v" + i + "'}")
                .collect(Collectors.joining(","));
        String volumes = IntStream.range(0, sources.size())
                .mapToObj(i -> "{'name':'v" + i + "'," + sources.get(i) + "}")
                .collect(Collectors.joining(","));
        String rest = more.length == 0 ? "" : "," + String.join(",", more);
        return "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'" + name + "','labels':{'app':'" + name
                + "'}},'spec':{'nodeName':'testhost','containers':[{'name':'c','image':'busybox','volumeMounts':["
                + mounts + "]}],'volumes':[" + volumes + "]" + rest
                + "}}";
    }

    static String claimSource(String claim) {
        return "'persistentVolumeClaim':{'claimName':'" + claim + "'}";
    }

    static String configMap(String name, String key, String value) {
        return "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'" + name + "'},'data':{'" + key + "':'"
                + value + "'}}";
    }

    static String secret(String name) {
        return "{'kind':'Secret','apiVersion':'v1','metadata':{'name':'" + name + "'},'data':{'word':'c2VjcmV0'}}";
    }

    /** Source of a downward API volume with the Pod's labels. */
    static String downward() {
        return "'downwardAPI':{'items':[{'path':'labels','fieldRef':{'fieldPath':'metadata.labels'}}]}";
    }

    static String projected(String configMap, String secret) {
        return "'projected':{'sources':[{'configMap':{'name':'" + configMap + "'}},{'secret':{'name':'" + secret
                + "'}},{'downwardAPI':{'items':[{'path':'name','fieldRef':{'fieldPath':'metadata.name'}}]}}]}";
    }

    static String claim(String name, String className, String size, String... more) {
        String rest = more.length == 0 ? "" : "," + String.join(",", more);
        return "{'kind':'PersistentVolumeClaim','apiVersion':'v1','metadata':{'name':'" + name
                + "'},'spec':{'storageClassName':'" + className
                + "','accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'" + size + "'}}" + rest + "}}";
    }

    static String storageClass(String name, String provisioner, String parameters, String... more) {
        return StorageProvisionFixture.storageClass(name, "mooring.dev/" + provisioner, parameters, more);
    }

    /** A volume for a directory of this node, reserved for a claim. */
    static String localVolume(String name, String path, String claim) {
        return "{'kind':'PersistentVolume','apiVersion':'v1','metadata':{'name':'" + name
                + "'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'persistentVolumeReclaimPolicy':'Retain','storageClassName':'none-such','local':{'path':'"
                + path
                + "'},'claimRef':{'namespace':'default','name':'" + claim
                + "'},'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'kubernetes.io/hostname','operator':'In','values':['testhost']}]}]}}}}";
    }
}
