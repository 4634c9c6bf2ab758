package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.host.HostMachine;
import dev.mooring.model.Scope;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.HostInspector;
import dev.mooring.world.World;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a server's usage data of mounted volumes: the kubelet's metrics and the columns of {@code kubectl get}. */
@Timeout(600)
class VolumeUsageServerTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CORE = "/api/v1";
    private static final String CLAIMS = CORE + "/namespaces/default/persistentvolumeclaims";
    private static final String PODS = CORE + "/namespaces/default/pods";
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final List<String> STATS = List.of(
            "capacity_bytes",
            "available_bytes",
            "used_bytes",
            "inodes",
            "inodes_free",
            "inodes_used",
            "health_status_abnormal");

    @TempDir
    Path temporary;

    private Path data;
    private Path host;
    private Server server;
    private HttpsClient client;
    private String token;

    @BeforeEach
    void start() throws Exception {
        HostMachine.assumeRoot();
        data = temporary.toRealPath().resolve("data");
        host = Files.createDirectory(temporary.toRealPath().resolve("host"));
        server = ServerFixture.start(data);
        client = HttpsClient.trusting(data.resolve("pki/ca.crt"), HttpClient.Version.HTTP_1_1);
        Matcher found = Pattern.compile("token: \"(.*)\"").matcher(Files.readString(data.resolve("kubeconfig")));
        assertThat(found.find()).isTrue();
        token = found.group(1);
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
            new HostInspector(data).cleanUp();
        }
    }

    private void create(String path, String json) throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(HttpRequest.newBuilder(URI.create(server.url() + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json.replace('\'', '"'))));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
    }

    private void await(Predicate<World> reached) throws Exception {
        CompletableFuture<Boolean> found = new CompletableFuture<>();
        Disposable watch = server.stateStore()
                .hub()
                .events(0, Scope.all(), Schedulers.io())
                .takeUntil(event -> reached.test(server.stateStore().ledger().world()) && found.complete(true))
                .subscribe(event -> {}, found::completeExceptionally);
        try {
            found.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            List<String> left = actual(server.stateStore().ledger().world()).stream()
                    .map(each -> each.tree().toString())
                    .toList();
            throw new AssertionError(
                    "Timed out after " + TIMEOUT + "; actual volumes: " + left
                            + server.stateStore().ledger().world().stream(Scope.all())
                                    .filter(o -> o.key().resource().startsWith("volumeatt")
                                            || o.key().resource().equals("nodes")
                                            || o.key().resource().startsWith("desired")
                                            || o.key().resource().startsWith("pods"))
                                    .map(o -> new String(o.json(), java.nio.charset.StandardCharsets.UTF_8))
                                    .toList(),
                    e);
        } finally {
            watch.dispose();
        }
    }

    private static List<ActualVolume> actual(World world) {
        return world.stream(Scope.resource(StorageNames.ACTUAL_VOLUMES))
                .map(ActualVolume::of)
                .toList();
    }

    private static boolean areMounted(World world, int count) {
        return actual(world).stream()
                        .flatMap(each -> each.mounts().stream())
                        .filter(ActualVolume.Mount::isMounted)
                        .count()
                == count;
    }

    /**
     * Polls the metrics until they satisfy a condition or a timeout, and returns the last ones. Usage is measured
     * shortly after a mount, and metrics are removed shortly after an unmount.
     */
    private List<String> metrics(Predicate<List<String>> reached) throws IOException, InterruptedException {
        long start = System.nanoTime();
        while (true) {
            List<String> lines =
                    client.get(server.url() + "/metrics", token).body().lines().toList();
            if (reached.test(lines) || System.nanoTime() - start > TIMEOUT.toNanos()) {
                return lines;
            }
        }
    }

    private static String statistic(String name) {
        return "kubelet_volume_stats_" + name;
    }

    private static List<String> withoutNumbers(List<String> lines, String start) {
        return lines.stream()
                .filter(each -> each.startsWith(start))
                .map(each -> each.substring(0, each.lastIndexOf(' ')))
                .toList();
    }

    @Test
    void server_mountedVolumes_reportsTheKubeletsMetricsUntilUnmounted() throws Exception {
        Files.write(host.resolve("file"), new byte[3 << 20]);
        create("/apis/storage.k8s.io/v1/storageclasses", """
            {'apiVersion':'storage.k8s.io/v1','kind':'StorageClass','metadata':{'name':'images'},
             'provisioner':'mooring.dev/block','parameters':{'overcommit':'true'}}\
            """);
        create(CORE + "/persistentvolumes", """
            {'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'host'},
             'spec':{'capacity':{'storage':'6Mi'},'accessModes':['ReadWriteOnce'],'storageClassName':'none',
                     'hostPath':{'path':'HOST'}}}\
            """.replace("HOST", host.toString()));
        create(CLAIMS, claim("host", "none", "6Mi"));
        create(CLAIMS, claim("block", "images", "64Mi"));
        create(PODS, """
            {'apiVersion':'v1','kind':'Pod','metadata':{'name':'app'},'spec':{
             'containers':[{'name':'c','image':'busybox','volumeMounts':[
               {'name':'a','mountPath':'/a'},{'name':'b','mountPath':'/b'},{'name':'c','mountPath':'/c'}]}],
             'volumes':[{'name':'a','persistentVolumeClaim':{'claimName':'host'}},
                        {'name':'b','persistentVolumeClaim':{'claimName':'block'}},
                        {'name':'c','emptyDir':{}}]}}\
            """);
        await(world -> areMounted(world, 3));

        List<String> expected = List.of(
                "volume_manager_total_volumes{plugin_name=\"kubernetes.io/csi:block.mooring.dev\","
                        + "state=\"actual_state_of_world\"} 1.0",
                "volume_manager_total_volumes{plugin_name=\"kubernetes.io/host-path\","
                        + "state=\"desired_state_of_world\"} 1.0",
                "volume_manager_total_volumes{plugin_name=\"kubernetes.io/empty-dir\","
                        + "state=\"actual_state_of_world\"} 1.0",
                "storage_operation_duration_seconds_count{migrated=\"false\",operation_name=\"volume_mount\","
                        + "status=\"success\",volume_plugin=\"kubernetes.io/empty-dir\"} 1",
                "storage_operation_duration_seconds_count{migrated=\"false\",operation_name=\"mount_device\","
                        + "status=\"success\",volume_plugin=\"kubernetes.io/csi:block.mooring.dev\"} 1");
        List<String> lines = metrics(now -> now.containsAll(expected)
                && STATS.stream()
                        .allMatch(name ->
                                withoutNumbers(now, statistic(name) + '{').size() == 2));

        String block = "{namespace=\"default\",persistentvolumeclaim=\"block\"}";
        String onHost = "{namespace=\"default\",persistentvolumeclaim=\"host\"}";
        for (String name : STATS) {
            assertThat(withoutNumbers(lines, statistic(name) + '{'))
                    .containsExactlyInAnyOrder(statistic(name) + block, statistic(name) + onHost);
        }
        assertThat(lines)
                .containsAll(expected)
                .anyMatch(each -> each.startsWith("mooring_volume_operations_under_way "));
        assertThat(used()).containsExactly("block [0-9]", "host 3Mi (50%)");

        HttpResponse<String> deleted = client.send(HttpRequest.newBuilder(URI.create(server.url() + PODS + "/app"))
                .header("Authorization", "Bearer " + token)
                .DELETE());
        assertThat(deleted.statusCode()).as(deleted.body()).isEqualTo(200);
        await(world -> actual(world).stream().allMatch(each -> each.mounts().isEmpty()));
        List<String> after = metrics(now -> now.contains("mooring_volume_operations_under_way 0.0")
                && withoutNumbers(now, statistic("")).isEmpty()
                && withoutNumbers(now, "volume_manager_total_volumes").isEmpty());
        assertThat(after).contains("mooring_volume_operations_under_way 0.0");
        assertThat(withoutNumbers(after, statistic(""))).isEmpty();
        assertThat(withoutNumbers(after, "volume_manager_total_volumes")).isEmpty();
    }

    private static String claim(String name, String storageClass, String size) {
        return """
            {'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'NAME'},
             'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'CLASS','resources':{'requests':{'storage':'SIZE'}}}}\
            """.replace("NAME", name).replace("CLASS", storageClass).replace("SIZE", size);
    }

    /** Name and usage of each claim, as in {@code kubectl get pvc -o wide}; usage that varies becomes {@code [0-9]}. */
    private List<String> used() throws IOException, InterruptedException {
        JsonNode table = JSON.readTree(client.send(HttpRequest.newBuilder(URI.create(server.url() + CLAIMS))
                        .header("Authorization", "Bearer " + token)
                        .header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"))
                .body());
        int last = table.path("columnDefinitions").size() - 1;
        assertThat(table.path("columnDefinitions").path(last).path("name").asText())
                .isEqualTo("Used");
        List<String> rows = new ArrayList<>();
        table.path("rows")
                .forEach(row -> rows.add(row.path("cells").path(0).asText()
                        + ' '
                        + row.path("cells").path(last).asText().replaceFirst("^[0-9.]+[KM]i \\([0-9]%\\)$", "[0-9]")));
        return rows;
    }
}
