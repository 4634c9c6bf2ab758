package dev.mooring.control.cases;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.MultiControllerFixture;
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

/** Creates, edits, deletes and force-deletes objects at random, and mounts bound volumes like a node. */
final class RandomUser {
    private static final int NAMES = 4;
    private static final List<String> SIZES = List.of("1Gi", "1G", "2Gi", "1.5Gi", "3Gi");
    private static final List<String> MODES = List.of("RWO", "RWO", "RWO+ROX", "RWX");
    private static final List<String> CLASSES =
            List.of("", "", " class=gold", " class=fast", " class=wait", " class=\"\"");
    private static final List<String> POLICIES = List.of("Retain", "Retain", "Delete", "Recycle");
    private static final String PODS = "pods";

    private final MultiControllerFixture controllers;
    private final Random random;
    private int created;

    RandomUser(MultiControllerFixture controllers, Random random) {
        this.controllers = controllers;
        this.random = random;
    }

    void step() {
        switch (random.nextInt(16)) {
            case 0, 1, 2 -> createVolume();
            case 3, 4, 5 -> createClaim();
            case 6 -> createPod();
            case 7 -> delete(StorageNames.CLAIMS);
            case 8 -> delete(random.nextBoolean() ? StorageNames.VOLUMES : StorageNames.CLAIMS);
            case 9 -> delete(PODS);
            case 10 -> removeFinalizers();
            case 11 -> editReference();
            case 12 -> editPolicy();
            case 13 -> mount();
            case 14 -> unmount();
            default -> controllers.advanceClock(Duration.ofMillis(random.nextInt(2_000)));
        }
    }

    private <T> T pick(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private Optional<ObjectNode> pickObject(String resource) {
        List<StoredObject> all = new ArrayList<>();
        controllers.world().list(Scope.resource(resource)).forEach(all::add);
        return all.isEmpty() ? Optional.empty() : Optional.of(pick(all).toTree());
    }

    private void createVolume() {
        String name = "v" + random.nextInt(NAMES);
        if (controllers.world().get(Volume.key(name)).isPresent()) {
            return;
        }
        String claim = "c" + random.nextInt(NAMES);
        String ref = pick(List.of("", "", "", " ref=" + claim, " ref=" + claim + "@" + claim, " ref=" + claim + "@x"));
        create("pv " + name + " " + pick(SIZES) + " Pending " + pick(POLICIES) + " modes=" + pick(MODES) + pick(CLASSES)
                + ref + pick(List.of(" src=hostpath", " src=hostpath", " src=fc", " src=csi")));
    }

    private void createClaim() {
        String name = "c" + random.nextInt(NAMES);
        if (controllers.world().get(Claim.key("default", name)).isPresent()) {
            return;
        }
        String named = pick(List.of("", "", "", " vol=v" + random.nextInt(NAMES)));
        create("pvc " + name + " " + pick(SIZES) + " Pending modes=" + pick(MODES) + pick(CLASSES) + named);
    }

    private void createPod() {
        String name = "p" + random.nextInt(NAMES);
        if (controllers.world().get(Pod.key("default", name)).isEmpty()) {
            String place = pick(List.of(" node=n1 phase=Running", " node=n1", ""));
            ObjectNode pod = create("pod " + name + " claims=c" + random.nextInt(NAMES) + place);
            if (place.isEmpty()) {
                pod.withObject("/spec").put("schedulerName", "default-scheduler");
                controllers.put(pod);
            }
        }
    }

    private ObjectNode create(String line) {
        CaseObjects objects = new CaseObjects(this::uid);
        ObjectNode object = objects.of(CaseLine.parse(line));
        object.withObject("/metadata")
                .put("uid", "uid-" + created++)
                .put("creationTimestamp", controllers.now().toString());
        controllers.put(object);
        return object;
    }

    private String uid(String claim) {
        return controllers
                .world()
                .get(Claim.key("default", claim))
                .map(StoredJson::uid)
                .orElse("uid-of-none");
    }

    private void delete(String resource) {
        pickObject(resource).ifPresent(object -> {
            if (Deletion.of(object, 0, controllers.now()) instanceof Deletion.Marked marked) {
                controllers.put(marked.object());
            } else if (Deletion.of(object, 0, controllers.now()) instanceof Deletion.Removed) {
                controllers.remove(key(resource, object));
            }
        });
    }

    /** Removes the finalizers of an object, like a user who does not want to wait. */
    private void removeFinalizers() {
        String resource = pick(List.of(StorageNames.CLAIMS, StorageNames.VOLUMES));
        pickObject(resource).ifPresent(object -> {
            object.withObject("/metadata").remove("finalizers");
            if (object.path("metadata").has("deletionTimestamp")) {
                controllers.remove(key(resource, object));
            } else {
                controllers.put(object);
            }
        });
    }

    private void editReference() {
        pickObject(StorageNames.VOLUMES).ifPresent(object -> {
            ObjectNode spec = object.withObject("/spec");
            if (spec.get("claimRef") instanceof ObjectNode reference && random.nextBoolean()) {
                reference.remove(List.of("uid", "resourceVersion"));
            } else {
                spec.remove("claimRef");
            }
            controllers.put(object);
        });
    }

    private void editPolicy() {
        pickObject(StorageNames.VOLUMES).ifPresent(object -> {
            object.withObject("/spec").put("persistentVolumeReclaimPolicy", pick(POLICIES));
            controllers.put(object);
        });
    }

    /** Mounts the bound volumes of scheduled Pods. */
    private void mount() {
        for (StoredObject each : controllers.world().list(Scope.resource(PODS))) {
            Pod pod = Pod.of(each);
            for (ObjectKey key : pod.isScheduled() && !pod.isFinished() ? pod.claimKeys() : List.<ObjectKey>of()) {
                Optional<Claim> claim =
                        controllers.world().get(key).map(Claim::of).filter(this::isBound);
                claim.ifPresent(bound -> create("actual m-" + bound.volumeName() + " pv=" + bound.volumeName()
                        + " claim=" + bound.name() + " node=n1"));
            }
        }
    }

    private boolean isBound(Claim claim) {
        return claim.phase().equals("Bound")
                && controllers
                        .world()
                        .get(Volume.key(claim.volumeName()))
                        .map(Volume::of)
                        .filter(volume -> volume.phase().equals("Bound"))
                        .flatMap(Volume::claimRef)
                        .filter(ref -> ref.uid().equals(claim.uid()))
                        .isPresent();
    }

    private void unmount() {
        pickObject(StorageNames.ACTUAL_VOLUMES)
                .ifPresent(object -> controllers.remove(key(StorageNames.ACTUAL_VOLUMES, object)));
    }

    private static ObjectKey key(String resource, ObjectNode object) {
        String name = object.path("metadata").path("name").asText();
        String namespace = object.path("metadata").path("namespace").asText("");
        return namespace.isEmpty()
                ? ObjectKey.clusterWide(resource, name)
                : ObjectKey.namespaced(resource, namespace, name);
    }
}
