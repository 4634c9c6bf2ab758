package dev.mooring.conformance;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Requests that create claims while a test kills components, in the order of their numbers. Half of the claims ask for
 * a volume created by a user; of the others, half ask for a provisioned directory, and the rest for a nested directory,
 * an image, or a directory that is provisioned for a scheduled Pod. One in ten is deleted soon after. Not thread-safe.
 */
final class StorageKillLoad {
    static final String NESTED = "nested";
    static final String IMAGES = "images";
    static final String LATER = "later";

    /** Maximum number of claims created between the creation and the deletion of a claim. */
    private static final int MAX_CREATIONS_BEFORE_DELETE = 25;

    private final int count;
    private final Random random;
    private final Set<String> kept = new HashSet<>();
    private final Set<String> volumesOfUser = new HashSet<>();

    StorageKillLoad(int count, Random random) {
        this.count = count;
        this.random = random;
    }

    /**
     * A request that must succeed once, however often it is sent.
     *
     * @param sequence requests with the same number are sent in order
     */
    record LoadRequest(int sequence, String method, String path, String body) {
        static LoadRequest post(int sequence, String path, String body) {
            return new LoadRequest(sequence, "POST", path, body);
        }
    }

    /** Requests that create the classes; to be sent before the first claim. */
    static List<LoadRequest> classes() {
        return List.of(
                storageClass(NESTED, "hostpath", "'pathPattern':'${pvc.namespace}/of-${pvc.name}/data'"),
                storageClass(IMAGES, "block", "'overcommit':'true'"),
                storageClass(LATER, "hostpath", "", "'volumeBindingMode':'WaitForFirstConsumer'"));
    }

    private static LoadRequest storageClass(String name, String provisioner, String parameters, String... more) {
        return LoadRequest.post(
                0,
                StorageProvisionFixture.CLASSES,
                StorageProvisionFixture.storageClass(name, "mooring.dev/" + provisioner, parameters, more));
    }

    /** All requests in the order in which they are to be sent. */
    List<LoadRequest> requests() {
        List<List<LoadRequest>> later = new ArrayList<>();
        for (int i = 0; i <= count + MAX_CREATIONS_BEFORE_DELETE; i++) {
            later.add(new ArrayList<>());
        }
        List<LoadRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<LoadRequest> creations = creations(i);
            if (random.nextBoolean()) {
                Collections.reverse(creations);
            }
            requests.addAll(creations);
            if (!usesPod(i) && random.nextInt(10) == 0) {
                later.get(i + random.nextInt(MAX_CREATIONS_BEFORE_DELETE))
                        .add(new LoadRequest(i, "DELETE", StorageProvisionFixture.CLAIMS + "/c" + i, ""));
            } else {
                kept.add("c" + i);
            }
            requests.addAll(later.get(i));
        }
        later.subList(count, later.size()).forEach(requests::addAll);
        return requests;
    }

    private List<LoadRequest> creations(int number) {
        List<LoadRequest> creations = new ArrayList<>(List.of(claim(number)));
        if (usesVolumeOfUser(number)) {
            creations.add(volume(number));
        }
        if (usesPod(number)) {
            creations.add(LoadRequest.post(
                    number, StorageProvisionFixture.PODS, StorageProvisionFixture.pod("p" + number, "c" + number)));
        }
        return creations;
    }

    private static boolean usesVolumeOfUser(int number) {
        return number % 2 == 0;
    }

    private static boolean usesPod(int number) {
        return number % 16 == 7;
    }

    private LoadRequest volume(int number) {
        String name = "v" + number;
        volumesOfUser.add(name);
        return LoadRequest.post(
                number,
                StorageProvisionFixture.VOLUMES,
                "{'metadata':{'name':'" + name + "'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':"
                        + "['ReadWriteOnce'],'hostPath':{'path':'/srv/" + name + "'}}}");
    }

    private static LoadRequest claim(int number) {
        String size = usesVolumeOfUser(number) ? "1Gi" : "4Mi";
        return LoadRequest.post(
                number,
                StorageProvisionFixture.CLAIMS,
                StorageProvisionFixture.claim("c" + number, className(number), size));
    }

    private static String className(int number) {
        if (usesVolumeOfUser(number)) {
            return "";
        }
        return switch (number % 16) {
            case 3, 11 -> NESTED;
            case 7 -> LATER;
            case 15 -> IMAGES;
            default -> "hostPath";
        };
    }

    /** State expected after all requests have been answered and all operations have ended. */
    StorageKillState.ExpectedState expectedState(Path data) {
        return new StorageKillState.ExpectedState(
                Set.copyOf(kept),
                Set.copyOf(volumesOfUser),
                data.resolve("volumes").toAbsolutePath());
    }
}
