package dev.mooring.conformance;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * The claims that are made while things are killed, in the order of their numbers. One half asks for a volume that a user has made; of the others,
 * a half for a directory to be made, and the rest for a directory in a directory, for an image, and for a directory when a Pod has a node. One
 * in ten is deleted again soon after. Not for several threads.
 */
final class StorageKillLoad {
    static final String NESTED = "nested";
    static final String IMAGES = "images";
    static final String LATER = "later";

    /** A deletion follows the creation after at most so many others. */
    private static final int LONGEST_LIFE = 25;

    private final int count;
    private final Random chance;
    private final Set<String> kept = new HashSet<>();
    private final Set<String> handMade = new HashSet<>();

    StorageKillLoad(int count, Random chance) {
        this.count = count;
        this.chance = chance;
    }

    /**
     * A request that is to succeed once, however often it has to be sent.
     *
     * @param lane those of one lane are sent in order
     */
    record Request(int lane, String method, String path, String body) {
        static Request post(int lane, String path, String body) {
            return new Request(lane, "POST", path, body);
        }
    }

    /** What is needed before the first claim. */
    static List<Request> classes() {
        return List.of(
                storageClass(NESTED, "hostpath", "'pathPattern':'${pvc.namespace}/of-${pvc.name}/data'"),
                storageClass(IMAGES, "block", "'overcommit':'true'"),
                storageClass(LATER, "hostpath", "", "'volumeBindingMode':'WaitForFirstConsumer'"));
    }

    private static Request storageClass(String name, String provisioner, String parameters, String... more) {
        return Request.post(
                0,
                StorageProvisionApi.CLASSES,
                StorageProvisionApi.storageClass(name, "mooring.dev/" + provisioner, parameters, more));
    }

    /** All requests in the order in which they are begun. */
    List<Request> requests() {
        List<List<Request>> later = new ArrayList<>();
        for (int i = 0; i <= count + LONGEST_LIFE; i++) {
            later.add(new ArrayList<>());
        }
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Request> creations = creations(i);
            if (chance.nextBoolean()) {
                Collections.reverse(creations);
            }
            requests.addAll(creations);
            if (!isForPod(i) && chance.nextInt(10) == 0) {
                later.get(i + chance.nextInt(LONGEST_LIFE))
                        .add(new Request(i, "DELETE", StorageProvisionApi.CLAIMS + "/c" + i, ""));
            } else {
                kept.add("c" + i);
            }
            requests.addAll(later.get(i));
        }
        later.subList(count, later.size()).forEach(requests::addAll);
        return requests;
    }

    private List<Request> creations(int number) {
        List<Request> creations = new ArrayList<>(List.of(claim(number)));
        if (isForHandMade(number)) {
            creations.add(volume(number));
        }
        if (isForPod(number)) {
            creations.add(Request.post(
                    number, StorageProvisionApi.PODS, StorageProvisionApi.pod("p" + number, "c" + number)));
        }
        return creations;
    }

    private static boolean isForHandMade(int number) {
        return number % 2 == 0;
    }

    private static boolean isForPod(int number) {
        return number % 16 == 7;
    }

    private Request volume(int number) {
        String name = "v" + number;
        handMade.add(name);
        return Request.post(
                number,
                StorageProvisionApi.VOLUMES,
                "{'metadata':{'name':'" + name + "'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':"
                        + "['ReadWriteOnce'],'hostPath':{'path':'/srv/" + name + "'}}}");
    }

    private static Request claim(int number) {
        String size = isForHandMade(number) ? "1Gi" : "4Mi";
        return Request.post(
                number, StorageProvisionApi.CLAIMS, StorageProvisionApi.claim("c" + number, className(number), size));
    }

    private static String className(int number) {
        if (isForHandMade(number)) {
            return "";
        }
        return switch (number % 16) {
            case 3, 11 -> NESTED;
            case 7 -> LATER;
            case 15 -> IMAGES;
            default -> "hostPath";
        };
    }

    /** What must be there when all requests have been answered and all work has ended. */
    StorageKillState.Wanted wanted(Path data) {
        return new StorageKillState.Wanted(
                Set.copyOf(kept), Set.copyOf(handMade), data.resolve("volumes").toAbsolutePath());
    }
}
