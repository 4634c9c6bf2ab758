package dev.mooring.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A node whose volumes are watched. The measured Pod has a ConfigMap, a Secret, an emptyDir and a claim for a
 * directory; the other Pods have emptyDirs in memory and on disk and directories of the machine. For one thread.
 */
final class VolumeMountFixture implements AutoCloseable {
    static final int VOLUMES_OF_ONE = 4;

    private static final String DEFAULT = "/api/v1/namespaces/default/";
    private static final String PODS = DEFAULT + "pods";
    private static final long DEADLINE_SECONDS = 300;

    /** Volumes of each of the other Pods. */
    private static final int VOLUMES_OF_MANY = 100;

    private final BenchmarkApiClient client;
    private final Path host;
    private final AutoCloseable watch;
    private final Object lock = new Object();
    private final Map<String, Set<String>> mounted = new HashMap<>();
    private int number;
    private long lastNanos;

    /** Seconds until the volumes of one Pod were mounted, and removed. */
    record Cycle(double mounted, double gone) {}

    /** @param directory parent of the mounted host directory */
    VolumeMountFixture(ApiServer server, Path directory) throws Exception {
        client = new BenchmarkApiClient(server.access());
        host = Files.createDirectories(directory.resolve("host")).toRealPath();
        client.create(
                DEFAULT + "configmaps",
                "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'settings'},'data':{'colour':'blue'}}");
        client.create(
                DEFAULT + "secrets",
                "{'kind':'Secret','apiVersion':'v1','metadata':{'name':'password'},'data':{'word':'c2VjcmV0'}}");
        client.create(
                "/api/v1/persistentvolumes",
                "{'kind':'PersistentVolume','apiVersion':'v1','metadata':{'name':'disk'},'spec':{'capacity':{'storage':"
                        + "'1Gi'},'accessModes':['ReadWriteMany'],'hostPath':{'path':'" + host
                        + "'},'claimRef':{'namespace':'default','name':'disk'}}}");
        client.create(
                DEFAULT + "persistentvolumeclaims",
                "{'kind':'PersistentVolumeClaim','apiVersion':'v1','metadata':{'name':'disk'},'spec':{"
                        + "'storageClassName':'','accessModes':['ReadWriteMany'],'resources':{'requests':{'storage':"
                        + "'1Gi'}}}}");
        watch = client.watch("/apis/mooring.dev/v1/actualvolumes", this::onVolumeEvent);
    }

    private void onVolumeEvent(JsonNode event) {
        JsonNode volume = event.path("object");
        String name = volume.path("metadata").path("name").asText();
        boolean gone = event.path("type").asText().equals("DELETED");
        synchronized (lock) {
            lastNanos = System.nanoTime();
            for (JsonNode each : volume.path("status").path("mounts")) {
                String pod = each.path("pod").path("name").asText();
                if (!gone && each.path("state").asText().equals("Mounted")) {
                    mounted.computeIfAbsent(pod, unused -> new HashSet<>()).add(name);
                }
            }
            if (gone) {
                mounted.values().forEach(all -> all.remove(name));
            }
            lock.notifyAll();
        }
    }

    /**
     * Waits until a Pod has the given number of volumes.
     *
     * @return the time at which that was seen
     */
    private long await(String pod, int count) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        synchronized (lock) {
            while (mounted.getOrDefault(pod, Set.of()).size() != count) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new IllegalStateException(
                            pod + " has the volumes " + mounted.get(pod) + " instead of " + count);
                }
                TimeUnit.NANOSECONDS.timedWait(lock, left);
            }
            return lastNanos;
        }
    }

    /** Creates one Pod, waits for its volumes, and deletes it. */
    Cycle cycle() throws IOException, InterruptedException {
        String name = "one-" + ++number;
        String volumes = "{'name':'a','configMap':{'name':'settings'}},{'name':'b','secret':{'secretName':'password'}},"
                + "{'name':'c','emptyDir':{}},{'name':'d','persistentVolumeClaim':{'claimName':'disk'}}";
        String mounts = "{'name':'a','mountPath':'/a'},{'name':'b','mountPath':'/b'},{'name':'c','mountPath':'/c'},"
                + "{'name':'d','mountPath':'/d'}";
        String body = pod(name, volumes, mounts);
        long start = System.nanoTime();
        client.create(PODS, body);
        double up = (await(name, VOLUMES_OF_ONE) - start) / 1e9;
        long end = System.nanoTime();
        client.delete(PODS + '/' + name);
        double down = (await(name, 0) - end) / 1e9;
        synchronized (lock) {
            mounted.remove(name);
        }
        return new Cycle(up, down);
    }

    /** Mounts volumes that stay. */
    void fill(int count) throws IOException, InterruptedException {
        StringBuilder volumes = new StringBuilder();
        StringBuilder mounts = new StringBuilder();
        for (int i = 0; i < VOLUMES_OF_MANY; i++) {
            String source = switch (i % 3) {
                case 0 -> "'emptyDir':{'medium':'Memory','sizeLimit':'1Mi'}";
                case 1 -> "'emptyDir':{}";
                default -> "'hostPath':{'path':'" + host + "'}";
            };
            volumes.append(i == 0 ? "" : ",")
                    .append("{'name':'v" + i + "',")
                    .append(source)
                    .append('}');
            mounts.append(i == 0 ? "" : ",").append("{'name':'v" + i + "','mountPath':'/v" + i + "'}");
        }
        int pods = count / VOLUMES_OF_MANY;
        for (int i = 0; i < pods; i++) {
            client.create(PODS, pod("many-" + i, volumes.toString(), mounts.toString()));
        }
        for (int i = 0; i < pods; i++) {
            await("many-" + i, VOLUMES_OF_MANY);
        }
    }

    private static String pod(String name, String volumes, String mounts) {
        return "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'" + name
                + "'},'spec':{'containers':[{'name':'c','image':'busybox','volumeMounts':[" + mounts + "]}],'volumes':["
                + volumes + "]}}";
    }

    @Override
    public void close() throws Exception {
        watch.close();
    }
}
