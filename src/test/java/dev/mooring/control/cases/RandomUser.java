package dev.mooring.control.cases;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ManyControllers;
import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Deletion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Somebody who creates, edits and deletes in an order that chance decides, sometimes by force; and the nodes that mount what is bound. */
final class RandomUser {
    private static final int NAMES = 4;
    private static final List<String> SIZES = List.of("1Gi", "1G", "2Gi", "1.5Gi", "3Gi");
    private static final List<String> MODES = List.of("RWO", "RWO", "RWO+ROX", "RWX");
    private static final List<String> CLASSES =
            List.of("", "", " class=gold", " class=fast", " class=wait", " class=\"\"");
    private static final List<String> POLICIES = List.of("Retain", "Retain", "Delete", "Recycle");
    private static final String PODS = "pods";

    private final ManyControllers many;
    private final Random chance;
    private int made;

    RandomUser(ManyControllers many, Random chance) {
        this.many = many;
        this.chance = chance;
    }

    void act() {
        switch (chance.nextInt(16)) {
            case 0, 1, 2 -> createVolume();
            case 3, 4, 5 -> createClaim();
            case 6 -> createPod();
            case 7 -> delete(StorageNames.CLAIMS);
            case 8 -> delete(chance.nextBoolean() ? StorageNames.VOLUMES : StorageNames.CLAIMS);
            case 9 -> delete(PODS);
            case 10 -> force();
            case 11 -> editReference();
            case 12 -> editPolicy();
            case 13 -> mount();
            case 14 -> unmount();
            default -> many.wait(Duration.ofMillis(chance.nextInt(2_000)));
        }
    }

    private <T> T one(List<T> of) {
        return of.get(chance.nextInt(of.size()));
    }

    private Optional<ObjectNode> any(String resource) {
        List<StoredObject> all = new ArrayList<>();
        many.world().list(Scope.resource(resource)).forEach(all::add);
        return all.isEmpty() ? Optional.empty() : Optional.of(StoredJson.tree(one(all)));
    }

    private void createVolume() {
        String name = "v" + chance.nextInt(NAMES);
        if (many.world().get(Volume.key(name)).isPresent()) {
            return;
        }
        String claim = "c" + chance.nextInt(NAMES);
        String ref = one(List.of("", "", "", " ref=" + claim, " ref=" + claim + "@" + claim, " ref=" + claim + "@x"));
        create("pv " + name + " " + one(SIZES) + " Pending " + one(POLICIES) + " modes=" + one(MODES) + one(CLASSES)
                + ref + one(List.of(" src=hostpath", " src=hostpath", " src=fc", " src=csi")));
    }

    private void createClaim() {
        String name = "c" + chance.nextInt(NAMES);
        if (many.world().get(Claim.key("default", name)).isPresent()) {
            return;
        }
        String named = one(List.of("", "", "", " vol=v" + chance.nextInt(NAMES)));
        create("pvc " + name + " " + one(SIZES) + " Pending modes=" + one(MODES) + one(CLASSES) + named);
    }

    private void createPod() {
        String name = "p" + chance.nextInt(NAMES);
        if (many.world().get(Pod.key("default", name)).isEmpty()) {
            String place = one(List.of(" node=n1 phase=Running", " node=n1", ""));
            ObjectNode pod = create("pod " + name + " claims=c" + chance.nextInt(NAMES) + place);
            if (place.isEmpty()) {
                pod.withObject("/spec").put("schedulerName", "default-scheduler");
                many.put(pod);
            }
        }
    }

    private ObjectNode create(String line) {
        CaseObjects objects = new CaseObjects(this::uid);
        ObjectNode object = objects.of(CaseLine.parse(line));
        object.withObject("/metadata")
                .put("uid", "uid-" + made++)
                .put("creationTimestamp", many.now().toString());
        many.put(object);
        return object;
    }

    private String uid(String claim) {
        return many.world()
                .get(Claim.key("default", claim))
                .map(StoredJson::uid)
                .orElse("uid-of-nobody");
    }

    private void delete(String resource) {
        any(resource).ifPresent(object -> {
            if (Deletion.of(object, 0, many.now()) instanceof Deletion.Marked marked) {
                many.put(marked.object());
            } else if (Deletion.of(object, 0, many.now()) instanceof Deletion.Removed) {
                many.remove(key(resource, object));
            }
        });
    }

    /** Takes the finalizers away, as people do who are tired of waiting. */
    private void force() {
        String resource = one(List.of(StorageNames.CLAIMS, StorageNames.VOLUMES));
        any(resource).ifPresent(object -> {
            object.withObject("/metadata").remove("finalizers");
            if (object.path("metadata").has("deletionTimestamp")) {
                many.remove(key(resource, object));
            } else {
                many.put(object);
            }
        });
    }

    private void editReference() {
        any(StorageNames.VOLUMES).ifPresent(object -> {
            ObjectNode spec = object.withObject("/spec");
            if (spec.get("claimRef") instanceof ObjectNode reference && chance.nextBoolean()) {
                reference.remove(List.of("uid", "resourceVersion"));
            } else {
                spec.remove("claimRef");
            }
            many.put(object);
        });
    }

    private void editPolicy() {
        any(StorageNames.VOLUMES).ifPresent(object -> {
            object.withObject("/spec").put("persistentVolumeReclaimPolicy", one(POLICIES));
            many.put(object);
        });
    }

    /** A node mounts what a Pod on it uses, if it is bound. */
    private void mount() {
        for (StoredObject each : many.world().list(Scope.resource(PODS))) {
            Pod pod = Pod.of(each);
            for (ObjectKey key : pod.isScheduled() && !pod.isFinished() ? pod.claimKeys() : List.<ObjectKey>of()) {
                Optional<Claim> claim = many.world().get(key).map(Claim::of).filter(this::isBound);
                claim.ifPresent(bound -> create("actual m-" + bound.volumeName() + " pv=" + bound.volumeName()
                        + " claim=" + bound.name() + " node=n1"));
            }
        }
    }

    private boolean isBound(Claim claim) {
        return claim.phase().equals("Bound")
                && many.world()
                        .get(Volume.key(claim.volumeName()))
                        .map(Volume::of)
                        .filter(volume -> volume.phase().equals("Bound"))
                        .flatMap(Volume::claimRef)
                        .filter(ref -> ref.uid().equals(claim.uid()))
                        .isPresent();
    }

    private void unmount() {
        any(StorageNames.ACTUAL_VOLUMES).ifPresent(object -> many.remove(key(StorageNames.ACTUAL_VOLUMES, object)));
    }

    private static ObjectKey key(String resource, ObjectNode object) {
        String name = object.path("metadata").path("name").asText();
        String namespace = object.path("metadata").path("namespace").asText("");
        return namespace.isEmpty()
                ? ObjectKey.clusterWide(resource, name)
                : ObjectKey.namespaced(resource, namespace, name);
    }
}
