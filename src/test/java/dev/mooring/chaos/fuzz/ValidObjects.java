package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ContainerNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.Map;

/**
 * Valid objects of each kind, in JSON with single quotes. NS, OTHER, IDENT and SIZE are replaced by values from small
 * pools, so that objects refer to each other. Immutable.
 */
final class ValidObjects {
    static final List<String> NAMES = List.of("a", "b", "c", "d", "e", "f", "g", "h");
    static final List<String> NAMESPACES = List.of("default", "default", "default", "fuzz-1", "fuzz-2", "kube-system");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String HASH = "0123456789abcdef".repeat(4);

    private static final Map<String, List<String>> SPECS = Map.ofEntries(
            Map.entry("ConfigMap", List.of("'data':{'a':'1','b.c':'OTHER'}", "'binaryData':{'x':'AAEC'}", "'data':{}")),
            Map.entry(
                    "Secret",
                    List.of(
                            "'stringData':{'password':'OTHER'}",
                            "'data':{'x':'AAEC'},'type':'Opaque'",
                            "'type':'kubernetes.io/basic-auth','stringData':{'username':'a','password':'b'}")),
            Map.entry(
                    "ServiceAccount", List.of("'automountServiceAccountToken':false", "'secrets':[{'name':'OTHER'}]")),
            Map.entry(
                    "Service",
                    List.of("'spec':{'selector':{'app':'OTHER'},'ports':[{'port':80,'targetPort':'http'}]}")),
            Map.entry(
                    "ResourceQuota",
                    List.of("'spec':{'hard':{'requests.storage':'SIZE','pods':'2','count/secrets':'1'}}")),
            Map.entry(
                    "Job",
                    List.of("'spec':{'suspend':true,'template':{'spec':{'restartPolicy':'Never',"
                            + "'containers':[{'name':'c','image':'busybox'}]}}}")),
            Map.entry(
                    "CronJob",
                    List.of("'spec':{'schedule':'0 0 1 1 *','jobTemplate':{'spec':{'template':{'spec':{"
                            + "'restartPolicy':'Never','containers':[{'name':'c','image':'busybox'}]}}}}}")),
            Map.entry("PodTemplate", List.of("'template':{'spec':{'containers':[{'name':'c','image':'busybox'}]}}")),
            Map.entry(
                    "ReplicationController",
                    List.of("'spec':{'template':{'metadata':{'labels':{'a':'b'}},"
                            + "'spec':{'containers':[{'name':'c','image':'busybox'}]}}}")),
            Map.entry("RuntimeClass", List.of("'handler':'runc'")),
            Map.entry("PriorityClass", List.of("'value':1000,'description':'OTHER'")),
            Map.entry("Namespace", List.of("'spec':{}", "'spec':{'finalizers':['kubernetes']}")),
            Map.entry(
                    "Node",
                    List.of(
                            "'spec':{'unschedulable':true}",
                            "'spec':{'taints':[{'key':'k','value':'v','effect':'NoSchedule'}]},"
                                    + "'status':{'allocatable':{'cpu':'4','memory':'SIZE','pods':'110'},"
                                    + "'conditions':[{'type':'Ready','status':'True'}]}")),
            Map.entry(
                    "Event",
                    List.of("'involvedObject':{'kind':'Pod','namespace':'NS','name':'OTHER','apiVersion':'v1'},"
                            + "'reason':'Tested','message':'OTHER','type':'Normal','count':3,"
                            + "'firstTimestamp':'2026-01-31T12:00:00Z','lastTimestamp':'2026-01-31T12:00:00Z',"
                            + "'source':{'component':'fuzz'}")),
            Map.entry(
                    "EndpointSlice",
                    List.of("'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.9']}],'ports':[{'port':80}]")),
            Map.entry(
                    "Lease",
                    List.of(
                            "'spec':{'holderIdentity':'OTHER','leaseDurationSeconds':40,"
                                    + "'renewTime':'2026-01-31T12:00:00.000000Z'}",
                            "'spec':{'leaseTransitions':1}")),
            Map.entry(
                    "PersistentVolume",
                    List.of(
                            "'spec':{'capacity':{'storage':'SIZE'},'accessModes':['ReadWriteOnce'],"
                                    + "'hostPath':{'path':'/data/OTHER'},'storageClassName':'hostPath',"
                                    + "'persistentVolumeReclaimPolicy':'Retain'}",
                            "'spec':{'capacity':{'storage':'SIZE'},'accessModes':['ReadWriteMany','ReadOnlyMany'],"
                                    + "'nfs':{'server':'nas','path':'/exports/OTHER'},'storageClassName':'',"
                                    + "'mountOptions':['hard','vers=4.2']}",
                            "'spec':{'capacity':{'storage':'SIZE'},'accessModes':['ReadWriteOnce'],"
                                + "'local':{'path':'/disks/OTHER'},'storageClassName':'local','volumeMode':'Filesystem',"
                                + "'claimRef':{'namespace':'NS','name':'OTHER'},"
                                + "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':"
                                + "'kubernetes.io/hostname','operator':'In','values':['testhost']}]}]}}}",
                            "'spec':{'capacity':{'storage':'SIZE'},'accessModes':['ReadWriteOncePod'],'csi':{'driver':"
                                    + "'x.example.com','volumeHandle':'OTHER'},'storageClassName':'OTHER'}")),
            Map.entry(
                    "PersistentVolumeClaim",
                    List.of(
                            "'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'SIZE'}}}",
                            "'spec':{'accessModes':['ReadWriteMany'],'storageClassName':'nfs',"
                                    + "'resources':{'requests':{'storage':'SIZE'}}}",
                            "'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'','volumeName':'OTHER',"
                                    + "'resources':{'requests':{'storage':'SIZE'}}}",
                            "'spec':{'accessModes':['ReadWriteOncePod'],'storageClassName':'OTHER','volumeMode':'Block',"
                                + "'selector':{'matchLabels':{'app':'OTHER'}},"
                                + "'resources':{'requests':{'storage':'SIZE'},'limits':{'storage':'64Gi'}}}",
                            "'spec':{'storageClassName':'local','capacity':'SIZE'}")),
            Map.entry(
                    "Pod",
                    List.of(
                            "'spec':{'containers':[{'name':'main','image':'busybox'}]}",
                            "'spec':{'terminationGracePeriodSeconds':0,'restartPolicy':'Never','containers':[{'name':'main',"
                                + "'image':'busybox','command':['sh','-c','true'],'env':[{'name':'A','value':'1'},"
                                + "{'name':'B','valueFrom':{'configMapKeyRef':{'name':'OTHER','key':'a'}}}],"
                                + "'ports':[{'containerPort':80}],'resources':{'requests':{'cpu':'10m','memory':'SIZE'}},"
                                + "'volumeMounts':[{'name':'v','mountPath':'/v'}]}],"
                                + "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'OTHER'}}]}",
                            "'spec':{'initContainers':[{'name':'init','image':'busybox:1'}],'containers':[{'name':'main',"
                                + "'image':'busybox','livenessProbe':{'httpGet':{'path':'/','port':80}},"
                                + "'volumeMounts':[{'name':'w','mountPath':'/w','subPath':'a/b'}],"
                                + "'securityContext':{'runAsUser':1000}}],'nodeSelector':{'disk':'OTHER'},"
                                + "'securityContext':{'fsGroup':1000},'volumes':[{'name':'w','emptyDir':{'sizeLimit':'SIZE'}},"
                                + "{'name':'x','configMap':{'name':'OTHER'}},{'name':'y','projected':{'sources':[{'secret':"
                                + "{'name':'OTHER'}},{'downwardAPI':{'items':[{'path':'l','fieldRef':"
                                + "{'fieldPath':'metadata.labels'}}]}}]}},{'name':'z','ephemeral':{'volumeClaimTemplate':"
                                + "{'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'SIZE'}}}}}}]}",
                            "'spec':{'containers':[{'name':'main','image':'busybox'}],'affinity':{'nodeAffinity':"
                                + "{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':"
                                + "[{'key':'disk','operator':'Exists'}]}]}}},'tolerations':[{'operator':'Exists'}]}",
                            "'spec':{'containers':[{'name':'main','image':'busybox','volumeMounts':[{'name':'v',"
                                + "'mountPath':'/v'}]}],'volumes':[{'name':'v','type':'pvc','claimName':'OTHER'}]}")),
            Map.entry(
                    "StorageClass",
                    List.of(
                            "'provisioner':'mooring.dev/hostpath','volumeBindingMode':'WaitForFirstConsumer'",
                            "'provisioner':'x.example.com/OTHER','reclaimPolicy':'Retain','allowVolumeExpansion':true,"
                                    + "'parameters':{'a':'b'},'mountOptions':['ro']",
                            "'provisioner':'kubernetes.io/no-provisioner','volumeBindingMode':'Immediate'")),
            Map.entry(
                    "VolumeAttachment",
                    List.of("'spec':{'attacher':'x.example.com','nodeName':'OTHER',"
                            + "'source':{'persistentVolumeName':'OTHER'}}")),
            Map.entry(
                    "Token",
                    List.of(
                            "'spec':{'role':'view','namespaces':['NS'],'sha256':'HASH'}",
                            "'spec':{'role':'edit','namespaces':['*'],'sha256':'HASH','expires':'2030-01-31T12:00:00Z'}",
                            "'spec':{'serviceAccount':{'namespace':'NS','name':'OTHER','uid':'IDENT'},'sha256':'HASH'}")),
            Map.entry(
                    "DesiredVolume",
                    List.of(
                            "'spec':{'node':'OTHER','pod':{'namespace':'NS','name':'OTHER','uid':'IDENT'},'volumeName':'v',"
                                + "'plugin':'kubernetes.io/host-path','source':{'hostPath':{'path':'/x'}}}")),
            Map.entry(
                    "ActualVolume",
                    List.of(
                            "'spec':{'node':'OTHER','plugin':'kubernetes.io/nfs','volume':'x'},'status':{'state':"
                                + "'Mounted','mounts':[{'path':'/x/OTHER','pod':{'namespace':'NS','name':'OTHER','uid':'IDENT'}}]}")),
            Map.entry(
                    "VolumeOperation",
                    List.of("'spec':{'operation':'Provision','node':'OTHER','provisioner':'mooring.dev/hostpath',"
                            + "'persistentVolume':'OTHER','persistentVolumeUID':'IDENT','capacity':'SIZE'},"
                            + "'status':{'state':'Failed','attempts':3}")));

    private ValidObjects() {}

    /** Returns an object with kind, apiVersion and metadata. */
    static ObjectNode of(FuzzRandom dice, String kind, String apiVersion, String namespace, String name) {
        ObjectNode object = parse("{'kind':'" + kind + "','apiVersion':'" + apiVersion + "','metadata':{"
                + metadata(dice) + "}," + dice.pick(SPECS.getOrDefault(kind, List.of("'spec':{}"))) + "}");
        ObjectNode metadata = object.withObject("/metadata").put("name", name);
        if (!namespace.isEmpty()) {
            metadata.put("namespace", namespace);
        }
        fill(dice, object, dice.pick(NAMES));
        return object;
    }

    private static void fill(FuzzRandom dice, ContainerNode<?> tree, String other) {
        if (tree instanceof ObjectNode object) {
            object.properties().forEach(each -> each.setValue(filled(dice, each.getValue(), other)));
        } else if (tree instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, filled(dice, array.get(i), other));
            }
        }
    }

    private static JsonNode filled(FuzzRandom dice, JsonNode value, String other) {
        if (value instanceof ContainerNode<?> inner) {
            fill(dice, inner, other);
            return value;
        }
        return value.isTextual() ? TextNode.valueOf(text(dice, value.textValue(), other)) : value;
    }

    private static String text(FuzzRandom dice, String template, String other) {
        return switch (template) {
            case "NS" -> dice.pick(NAMESPACES);
            case "IDENT" -> "00000000-0000-4000-8000-00000000000" + dice.below(10);
            case "HASH" -> HASH;
            case "SIZE" -> dice.pick("1Gi", "10Mi", "1", "64Gi", "1500M", "128974848", "3e6");
            default -> template.replace("OTHER", other);
        };
    }

    private static String metadata(FuzzRandom dice) {
        return switch (dice.below(8)) {
            case 0, 1 -> "'labels':{'app':'OTHER','tier':'" + dice.pick("front", "back", "") + "'}";
            case 2 -> "'annotations':{'example.com/note':'OTHER','n':''},'labels':{'app':'OTHER'}";
            case 3 -> dice.oneIn(4) ? "'finalizers':['example.com/keep']" : "";
            case 4 ->
                dice.oneIn(3)
                        ? "'ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'OTHER','uid':'IDENT'}]"
                        : "";
            default -> "";
        };
    }

    static ObjectNode parse(String text) {
        try {
            return (ObjectNode) JSON.readTree(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(text, e);
        }
    }
}
