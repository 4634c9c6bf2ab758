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
 * Pods with volumes of all kinds, so many that they have a thousand together: seven each that need no claim, and one by a claim for a directory
 * that is made, for a directory of the machine, or for an image. For one thread.
 */
final class NodeChurn {
    private static final int WITHOUT_CLAIM = 7;
    private static final int WRITERS = 4;

    /** Of a thousand volumes, so many Pods have a directory that is made for them; as many next ones one of the machine, the others an image. */
    private static final int MADE_OF_125 = 55;

    private static final int LOCAL_OF_125 = 50;

    private final NodeApi api;
    private final Path host;
    private final int pods;
    private final int made;
    private final int local;

    /**
     * @param host for directories of the machine
     * @param pods each has eight volumes
     */
    NodeChurn(NodeApi api, Path host, int pods) {
        this.api = api;
        this.host = host;
        this.pods = pods;
        this.made = pods * MADE_OF_125 / 125;
        this.local = pods * LOCAL_OF_125 / 125;
    }

    private int volumes() {
        return pods * (WITHOUT_CLAIM + 1);
    }

    /** What all rounds need. */
    void prepare() {
        try {
            Files.createDirectories(host.resolve("shared"));
            Files.writeString(host.resolve("shared/letter"), "mine");
            for (int i = made; i < made + local; i++) {
                Files.createDirectories(host.resolve("disk-" + i));
                Files.writeString(host.resolve("disk-" + i + "/letter"), "mine");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        api.make(NodeApi.CONFIG_MAPS, NodeObjects.configMap("settings", "colour", "blue"));
        api.make(NodeApi.SECRETS, NodeObjects.secret("password"));
        api.make(NodeApi.CLASSES, NodeObjects.storageClass("made", "hostpath", ""));
        api.make(NodeApi.CLASSES, NodeObjects.storageClass("images", "block", "'overcommit':'true'"));
    }

    /** All come, are mounted, and go. */
    void round() {
        try (NodeWatch actual = api.watch(NodeApi.ACTUAL);
                NodeWatch users = api.watch(NodeApi.PODS);
                NodeWatch claims = api.watch(NodeApi.CLAIMS);
                NodeWatch volumes = api.watch(NodeApi.VOLUMES);
                NodeWatch operations = api.watch(NodeApi.OPERATIONS)) {
            each(this::create);
            actual.await(volumes() + " mounts", seen -> seen.mounted() == volumes());
            assertThat(api.get(NodeApi.DESIRED).path("items")).hasSize(volumes());
            each(this::delete);
            actual.await("no volumes on the node", seen -> seen.size() == 0);
            users.await("no Pods", seen -> seen.size() == 0);
            claims.await("no claims", seen -> seen.size() == 0);
            each(i -> {
                if (isLocal(i)) {
                    api.delete(NodeApi.VOLUMES + "/disk-" + i);
                }
            });
            volumes.await("no volumes", seen -> seen.size() == 0);
            operations.await("no work", seen -> seen.size() == 0);
            assertThat(api.get(NodeApi.DESIRED).path("items")).isEmpty();
        }
    }

    /** Files of the machine that are not there any more. */
    List<Path> lost() {
        List<Path> lost = new ArrayList<>(List.of(host.resolve("shared/letter")));
        for (int i = made; i < made + local; i++) {
            lost.add(host.resolve("disk-" + i + "/letter"));
        }
        lost.removeIf(Files::isRegularFile);
        return lost;
    }

    private boolean isLocal(int number) {
        return number >= made && number < made + local;
    }

    private void create(int number) {
        String claim = "c" + number;
        if (isLocal(number)) {
            String disk = "disk-" + number;
            api.make(
                    NodeApi.VOLUMES,
                    NodeObjects.localVolume(disk, host.resolve(disk).toString(), claim));
        }
        api.make(NodeApi.PODS, pod(number, claim));
        api.make(NodeApi.CLAIMS, NodeObjects.claim(claim, className(number), "16Mi"));
    }

    private String className(int number) {
        if (isLocal(number)) {
            return "none-such";
        }
        return number < made ? "made" : "images";
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
        api.delete(NodeApi.PODS + "/p" + number);
        api.delete(NodeApi.CLAIMS + "/c" + number);
    }

    private interface Work {
        void on(int number);
    }

    private void each(Work work) {
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < pods; i++) {
                int number = i;
                done.add(writers.submit(() -> work.on(number)));
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
