package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.BlockSource;
import dev.mooring.model.view.HostPathSource;
import dev.mooring.model.view.LocalSource;
import dev.mooring.model.view.NfsSource;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Creates manifests as users write them, except Pods ({@link SimPodManifests}). All are valid, and most are reasonable.
 */
final class SimManifests {
    private final SeededRandom random;

    SimManifests(SeededRandom random) {
        this.random = random;
    }

    /** Creates an object with the annotation that all users' objects have. */
    static ObjectNode object(String apiVersion, String kind, String name) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", apiVersion).put("kind", kind);
        ObjectNode metadata = object.putObject("metadata").put("name", name);
        metadata.putObject("annotations").put(NamePools.FOREIGN, "kept");
        return object;
    }

    static void texts(ArrayNode list, List<String> texts) {
        texts.forEach(list::add);
    }

    private static void addUnknown(ObjectNode spec) {
        spec.putObject(NamePools.UNKNOWN).putArray("kept").add(1);
    }

    ObjectNode volume(World world, String name) {
        ObjectNode object = object("v1", "PersistentVolume", name);
        object.withObject("/metadata/labels").put("tier", random.one(List.of("a", "b")));
        ObjectNode spec = object.putObject("spec");
        spec.putObject("capacity").put("storage", random.one(NamePools.SIZES));
        texts(spec.putArray("accessModes"), random.one(NamePools.MODES));
        spec.put("storageClassName", random.one(classes(world)));
        String policy = source(world, name, spec)
                ? random.one(List.of("Retain", "Retain", "Delete", "Recycle"))
                : random.one(List.of("Retain", "Delete"));
        spec.put("persistentVolumeReclaimPolicy", policy);
        if (random.percent(15)) {
            spec.putObject("claimRef")
                    .put("namespace", random.one(NamePools.TARGET_NAMESPACES))
                    .put("name", random.one(NamePools.CLAIM_NAMES));
        }
        addUnknown(spec);
        return object;
    }

    /**
     * Adds a source.
     *
     * @return whether it can be recycled
     */
    private boolean source(World world, String name, ObjectNode spec) {
        switch (random.below(5)) {
            case 0, 1 -> {
                ObjectNode nfs = spec.putObject("nfs");
                nfs.put("server", random.one(NamePools.NFS_SERVERS)).put("path", random.one(NamePools.EXPORTS));
                if (random.percent(30)) {
                    texts(spec.putArray("mountOptions"), random.one(List.of(List.of("nfsvers=4.1"), List.of("hard"))));
                }
                return true;
            }
            case 2, 3 -> {
                spec.putObject("hostPath").put("path", "/srv/" + name).put("type", "DirectoryOrCreate");
                return true;
            }
            default -> {
                spec.putObject("local").put("path", "/mnt/disks/" + name);
                pin(spec.putObject("nodeAffinity"), random.one(nodes(world)));
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
        if (random.percent(12)) {
            spec.put("volumeName", random.one(NamePools.VOLUME_NAMES));
        }
        if (random.percent(8)) {
            spec.putObject("selector").putObject("matchLabels").put("tier", random.one(List.of("a", "b")));
        }
        addUnknown(spec);
        return object;
    }

    /** Fills the spec of a claim or of a claim template in a Pod. */
    ObjectNode claimSpec(World world, ObjectNode spec) {
        texts(spec.putArray("accessModes"), random.one(NamePools.MODES));
        spec.withObject("/resources/requests").put("storage", random.one(NamePools.SIZES));
        if (random.percent(85)) {
            spec.put("storageClassName", random.one(classes(world)));
        }
        return spec;
    }

    ObjectNode storageClass(String name) {
        ObjectNode object = object("storage.k8s.io/v1", "StorageClass", name);
        String provisioner = random.one(List.of(
                HostPathSource.PROVISIONER,
                HostPathSource.PROVISIONER,
                NfsSource.PROVISIONER,
                BlockSource.PROVISIONER,
                LocalSource.PROVISIONER,
                StorageNames.NO_PROVISIONER,
                "vendor.example/none"));
        object.put("provisioner", provisioner);
        object.put("reclaimPolicy", random.one(List.of("Delete", "Delete", "Retain")));
        object.put("volumeBindingMode", random.one(List.of("Immediate", "WaitForFirstConsumer")));
        object.put("allowVolumeExpansion", random.percent(75));
        if (provisioner.equals(NfsSource.PROVISIONER)) {
            object.putObject("parameters")
                    .put("server", random.one(NamePools.NFS_SERVERS))
                    .put("share", random.one(NamePools.EXPORTS));
            texts(object.putArray("mountOptions"), List.of("nfsvers=4.1"));
        }
        if (random.percent(15)) {
            object.withObject("/metadata/annotations").put(StorageNames.DEFAULT_CLASS, "true");
        }
        return object;
    }

    ObjectNode namespace(String name) {
        return object("v1", "Namespace", name);
    }

    ObjectNode configMap(String name) {
        ObjectNode object = object("v1", "ConfigMap", name);
        object.putObject("data").put("key", "value " + random.below(1000));
        return object;
    }

    ObjectNode secret(String name) {
        ObjectNode object = object("v1", "Secret", name);
        byte[] value = ("secret " + random.below(1000)).getBytes(StandardCharsets.UTF_8);
        object.putObject("data").put("key", Base64.getEncoder().encodeToString(value));
        return object;
    }

    /** Returns names of classes: existing ones, none, and one that does not exist. */
    private static List<String> classes(World world) {
        List<String> names = new ArrayList<>(List.of("", "", "none"));
        names.addAll(names(world, NamePools.CLASSES));
        names.addAll(names(world, NamePools.CLASSES));
        return names;
    }

    static List<String> nodes(World world) {
        List<String> names = names(world, NamePools.NODES);
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
