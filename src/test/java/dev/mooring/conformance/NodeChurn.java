package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Creates and deletes Pods with eight volumes each, of all kinds: seven without a claim, and one with a claim for a
 * provisioned directory, a directory of the host, or an image. Not thread-safe.
 */
final class NodeChurn {
    private static final int WITHOUT_CLAIM = 7;
    private static final int WRITERS = 4;

    /** Of 125 Pods, these have a provisioned directory, the next ones a directory of the host, the rest an image. */
    private static final int PROVISIONED_OF_125 = 55;

    private static final int LOCAL_OF_125 = 50;

    private final NodeApiClient api;
    private final Path host;
    private final int pods;
    private final int provisioned;
    private final int local;

    /**
     * @param host parent of the directories of the host
     * @param pods each has eight volumes
     */
    NodeChurn(NodeApiClient api, Path host, int pods) {
        this.api = api;
        this.host = host;
        this.pods = pods;
        this.provisioned = pods * PROVISIONED_OF_125 / 125;
        this.local = pods * LOCAL_OF_125 / 125;
    }

    private int volumes() {
        return pods * (WITHOUT_CLAIM + 1);
    }

    /** Creates the files and objects that all rounds need. */
    void prepare() {
        try {
            Files.createDirectories(host.resolve("shared"));
            Files.writeString(host.resolve("shared/letter"), "mine");
            for (int i = provisioned; i < provisioned + local; i++) {
                Files.createDirectories(host.resolve("disk-" + i));
                Files.writeString(host.resolve("disk-" + i + "/letter"), "mine");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        api.create(NodeApiClient.CONFIG_MAPS, NodeObjects.configMap("settings", "colour", "blue"));
        api.create(NodeApiClient.SECRETS, NodeObjects.secret("password"));
        api.create(NodeApiClient.CLASSES, NodeObjects.storageClass("made", "hostpath", ""));
        api.create(NodeApiClient.CLASSES, NodeObjects.storageClass("images", "block", "'overcommit':'true'"));
    }

    /** Creates all Pods, waits until their volumes are mounted, deletes them, and waits until nothing is left. */
    void round() {
        try (NodeWatch actual = api.watch(NodeApiClient.ACTUAL);
                NodeWatch users = api.watch(NodeApiClient.PODS);
                NodeWatch claims = api.watch(NodeApiClient.CLAIMS);
                NodeWatch volumes = api.watch(NodeApiClient.VOLUMES);
                NodeWatch operations = api.watch(NodeApiClient.OPERATIONS)) {
            forEachPod(this::create);
            actual.await(volumes() + " mounts", seen -> seen.mounted() == volumes());
            assertThat(api.get(NodeApiClient.DESIRED).path("items")).hasSize(volumes());
            forEachPod(this::delete);
            actual.await("no volumes on the node", seen -> seen.size() == 0);
            users.await("no Pods", seen -> seen.size() == 0);
            claims.await("no claims", seen -> seen.size() == 0);
            forEachPod(i -> {
                if (isLocal(i)) {
                    api.delete(NodeApiClient.VOLUMES + "/disk-" + i);
                }
            });
            volumes.await("no volumes", seen -> seen.size() == 0);
            operations.await("no operations", seen -> seen.size() == 0);
            assertThat(api.get(NodeApiClient.DESIRED).path("items")).isEmpty();
        }
    }

    /** Files of the host that no longer exist. */
    List<Path> lost() {
        List<Path> lost = new ArrayList<>(List.of(host.resolve("shared/letter")));
        for (int i = provisioned; i < provisioned + local; i++) {
            lost.add(host.resolve("disk-" + i + "/letter"));
        }
        lost.removeIf(Files::isRegularFile);
        return lost;
    }

    private boolean isLocal(int number) {
        return number >= provisioned && number < provisioned + local;
    }

    private void create(int number) {
        String claim = "c" + number;
        if (isLocal(number)) {
            String disk = "disk-" + number;
            api.create(
                    NodeApiClient.VOLUMES,
                    NodeObjects.localVolume(disk, host.resolve(disk).toString(), claim));
        }
        api.create(NodeApiClient.PODS, pod(number, claim));
        api.create(NodeApiClient.CLAIMS, NodeObjects.claim(claim, className(number), "16Mi"));
    }

    private String className(int number) {
        if (isLocal(number)) {
            return "none-such";
        }
        return number < provisioned ? "made" : "images";
    }

    private String pod(int number, String claim) {
        return NodeObjects.pod(
                "p" + number,
                List.of(
                        "'configMap':{'name':'settings'}",
                        "'secret':{'secretName':'password'}",
                        NodeObjects.downward(),
                        NodeObjects.projected("settings", "password"),
                        "'emptyDir':{}",
                        "'emptyDir':{'medium':'Memory','sizeLimit':'1Mi'}",
                        "'hostPath':{'path':'" + host.resolve("shared") + "','type':'Directory'}",
                        NodeObjects.claimSource(claim)));
    }

    private void delete(int number) {
        api.delete(NodeApiClient.PODS + "/p" + number);
        api.delete(NodeApiClient.CLAIMS + "/c" + number);
    }

    private interface NumberedTask {
        void on(int number);
    }

    private void forEachPod(NumberedTask task) {
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < pods; i++) {
                int number = i;
                done.add(writers.submit(() -> task.on(number)));
            }
            for (Future<?> each : done) {
                each.get();
            }
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            writers.shutdownNow();
        }
    }
}
