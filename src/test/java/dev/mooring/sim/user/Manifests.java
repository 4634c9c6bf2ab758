package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Objects as users write them, Pods apart ({@link PodManifests}). All are valid, and most make sense. */
final class Manifests {
    private final Chance chance;

    Manifests(Chance chance) {
        this.chance = chance;
    }

    /** An object with what every one of a user's carries. */
    static ObjectNode object(String apiVersion, String kind, String name) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", apiVersion).put("kind", kind);
        ObjectNode metadata = object.putObject("metadata").put("name", name);
        metadata.putObject("annotations").put(Pools.FOREIGN, "kept");
        return object;
    }

    static void texts(ArrayNode list, List<String> texts) {
        texts.forEach(list::add);
    }

    private static void addUnknown(ObjectNode spec) {
        spec.putObject(Pools.UNKNOWN).putArray("kept").add(1);
    }

    ObjectNode volume(World world, String name) {
        ObjectNode object = object("v1", "PersistentVolume", name);
        object.withObject("/metadata/labels").put("tier", chance.one(List.of("a", "b")));
        ObjectNode spec = object.putObject("spec");
        spec.putObject("capacity").put("storage", chance.one(Pools.SIZES));
        texts(spec.putArray("accessModes"), chance.one(Pools.MODES));
        spec.put("storageClassName", chance.one(classes(world)));
        String policy = source(world, name, spec)
                ? chance.one(List.of("Retain", "Retain", "Delete", "Recycle"))
                : chance.one(List.of("Retain", "Delete"));
        spec.put("persistentVolumeReclaimPolicy", policy);
        if (chance.percent(15)) {
            spec.putObject("claimRef")
                    .put("namespace", chance.one(Pools.HOMES))
                    .put("name", chance.one(Pools.CLAIM_NAMES));
        }
        addUnknown(spec);
        return object;
    }

    /** Gives it a source; whether that can be recycled. */
    private boolean source(World world, String name, ObjectNode spec) {
        switch (chance.below(5)) {
            case 0, 1 -> {
                ObjectNode nfs = spec.putObject("nfs");
                nfs.put("server", chance.one(Pools.NFS_SERVERS)).put("path", chance.one(Pools.EXPORTS));
                if (chance.percent(30)) {
                    texts(spec.putArray("mountOptions"), chance.one(List.of(List.of("nfsvers=4.1"), List.of("hard"))));
                }
                return true;
            }
            case 2, 3 -> {
                spec.putObject("hostPath").put("path", "/srv/" + name).put("type", "DirectoryOrCreate");
                return true;
            }
            default -> {
                spec.putObject("local").put("path", "/mnt/disks/" + name);
                pin(spec.putObject("nodeAffinity"), chance.one(nodes(world)));
                return false;
            }
        }
    }

    private static void pin(ObjectNode affinity, String node) {
        affinity.putObject("required")
                .putArray("nodeSelectorTerms")
                .addObject()
                .putArray("matchExpressions")
                .addObject()
                .put("key", StorageNames.HOST_NAME)
                .put("operator", "In")
                .putArray("values")
                .add(node);
    }

    ObjectNode claim(World world, String name) {
        ObjectNode object = object("v1", "PersistentVolumeClaim", name);
        object.withObject("/metadata/labels").put("app", name);
        ObjectNode spec = claimSpec(world, object.putObject("spec"));
        if (chance.percent(12)) {
            spec.put("volumeName", chance.one(Pools.VOLUME_NAMES));
        }
        if (chance.percent(8)) {
            spec.putObject("selector").putObject("matchLabels").put("tier", chance.one(List.of("a", "b")));
        }
        addUnknown(spec);
        return object;
    }

    /** What claims and the templates in Pods have. */
    ObjectNode claimSpec(World world, ObjectNode spec) {
        texts(spec.putArray("accessModes"), chance.one(Pools.MODES));
        spec.withObject("/resources/requests").put("storage", chance.one(Pools.SIZES));
        if (chance.percent(85)) {
            spec.put("storageClassName", chance.one(classes(world)));
        }
        return spec;
    }

    ObjectNode storageClass(String name) {
        ObjectNode object = object("storage.k8s.io/v1", "StorageClass", name);
        String provisioner = chance.one(List.of(
                StorageNames.HOST_PATH_PROVISIONER,
                StorageNames.HOST_PATH_PROVISIONER,
                StorageNames.NFS_PROVISIONER,
                StorageNames.BLOCK_PROVISIONER,
                StorageNames.LOCAL_PROVISIONER,
                StorageNames.NO_PROVISIONER,
                "vendor.example/none"));
        object.put("provisioner", provisioner);
        object.put("reclaimPolicy", chance.one(List.of("Delete", "Delete", "Retain")));
        object.put("volumeBindingMode", chance.one(List.of("Immediate", "WaitForFirstConsumer")));
        object.put("allowVolumeExpansion", chance.percent(75));
        if (provisioner.equals(StorageNames.NFS_PROVISIONER)) {
            object.putObject("parameters")
                    .put("server", chance.one(Pools.NFS_SERVERS))
                    .put("share", chance.one(Pools.EXPORTS));
            texts(object.putArray("mountOptions"), List.of("nfsvers=4.1"));
        }
        if (chance.percent(15)) {
            object.withObject("/metadata/annotations").put(StorageNames.DEFAULT_CLASS, "true");
        }
        return object;
    }

    ObjectNode namespace(String name) {
        return object("v1", "Namespace", name);
    }

    ObjectNode configMap(String name) {
        ObjectNode object = object("v1", "ConfigMap", name);
        object.putObject("data").put("key", "value " + chance.below(1000));
        return object;
    }

    ObjectNode secret(String name) {
        ObjectNode object = object("v1", "Secret", name);
        byte[] value = ("secret " + chance.below(1000)).getBytes(StandardCharsets.UTF_8);
        object.putObject("data").put("key", Base64.getEncoder().encodeToString(value));
        return object;
    }

    /** Classes that can be named: those that are there, none, and one that is not there. */
    private static List<String> classes(World world) {
        List<String> names = new ArrayList<>(List.of("", "", "none"));
        names.addAll(names(world, Pools.CLASSES));
        names.addAll(names(world, Pools.CLASSES));
        return names;
    }

    static List<String> nodes(World world) {
        List<String> names = names(world, Pools.NODES);
        return names.isEmpty() ? List.of("n1") : names;
    }

    static List<String> names(World world, String resource) {
        List<String> names = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource(resource))) {
            names.add(each.key().name());
        }
        return names;
    }
}
