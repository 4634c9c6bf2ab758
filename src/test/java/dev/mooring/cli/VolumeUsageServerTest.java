package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.model.Scope;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
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

/** What a server tells of volumes that are really mounted: metrics as a kubelet has them, and what kubectl prints. */
@Timeout(180)
class VolumeUsageServerTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CORE = "/api/v1";
    private static final String CLAIMS = CORE + "/namespaces/default/persistentvolumeclaims";
    private static final String PODS = CORE + "/namespaces/default/pods";

    @TempDir
    Path temporary;

    private Path data;
    private Path host;
    private Server server;
    private HttpsClient client;
    private String token;

    @BeforeEach
    void start() throws Exception {
        Machine.assumeRoot();
        data = temporary.toRealPath().resolve("data");
        host = Files.createDirectory(temporary.toRealPath().resolve("host"));
        server = TestServers.start(data);
        client = HttpsClient.trusting(data.resolve("pki/ca.crt"), HttpClient.Version.HTTP_1_1);
        Matcher found = Pattern.compile("token: \"(.*)\"").matcher(Files.readString(data.resolve("kubeconfig")));
        assertThat(found.find()).isTrue();
        token = found.group(1);
    }

    @AfterEach
    void stop() throws IOException, InterruptedException {
        if (server == null) {
            return;
        }
        server.close();
        List<MountTable.Mount> left = MountTable.read().below(data);
        for (int i = left.size() - 1; i >= 0; i--) {
            Machine.run("umount", "-l", left.get(i).point());
        }
        for (String line : Machine.run("losetup", "--list", "--noheadings", "--output", "NAME,BACK-FILE")
                .split("\n", -1)) {
            if (line.contains(data.toString())) {
                Machine.run("losetup", "-d", line.substring(0, line.indexOf(' ')));
            }
        }
    }

    private void make(String path, String json) throws IOException, InterruptedException {
        HttpResponse<String> answer = client.send(HttpRequest.newBuilder(URI.create(server.url() + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json.replace('\'', '"'))));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    }

    private void await(Predicate<World> reached) throws Exception {
        CompletableFuture<Boolean> found = new CompletableFuture<>();
        Disposable watch = server.spine()
                .hub()
                .events(0, Scope.all(), Schedulers.io())
                .takeUntil(event -> reached.test(server.spine().ledger().world()) && found.complete(true))
                .subscribe(event -> {}, found::completeExceptionally);
        try {
            found.get(25, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            List<String> left = actual(server.spine().ledger().world()).stream()
                    .map(each -> each.tree().toString())
                    .toList();
            throw new AssertionError(
                    "Expected it within a minute, but there is " + left
                            + server.spine().ledger().world().stream(Scope.all())
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

    /** As soon as one of its lines matches: what is measured is measured a moment after the mount. */
    private List<String> metrics(String line) throws IOException, InterruptedException {
        Pattern pattern = Pattern.compile(line);
        while (true) {
            List<String> lines =
                    client.get(server.url() + "/metrics", token).body().lines().toList();
            if (lines.stream().anyMatch(each -> pattern.matcher(each).matches())) {
                return lines;
            }
        }
    }

    private static String stat(String name, String claim) {
        return "kubelet_volume_stats_" + name + "\\{namespace=\"default\",persistentvolumeclaim=\"" + claim + "\"} ";
    }

    private static List<String> withoutNumbers(List<String> lines, String start) {
        return lines.stream()
                .filter(each -> each.startsWith(start))
                .map(each -> each.substring(0, each.lastIndexOf(' ')))
                .toList();
    }

    @Test
    void tellsOfMountedVolumesAsAKubeletDoes() throws Exception {
        Files.write(host.resolve("file"), new byte[3 << 20]);
        make("/apis/storage.k8s.io/v1/storageclasses", """
            {'apiVersion':'storage.k8s.io/v1','kind':'StorageClass','metadata':{'name':'images'},
             'provisioner':'mooring.dev/block','parameters':{'overcommit':'true'}}\
            """);
        make(CORE + "/persistentvolumes", """
            {'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'host'},
             'spec':{'capacity':{'storage':'6Mi'},'accessModes':['ReadWriteOnce'],'storageClassName':'none',
                     'hostPath':{'path':'HOST'}}}\
            """.replace("HOST", host.toString()));
        make(CLAIMS, claim("host", "none", "6Mi"));
        make(CLAIMS, claim("block", "images", "64Mi"));
        make(PODS, """
            {'apiVersion':'v1','kind':'Pod','metadata':{'name':'app'},'spec':{
             'containers':[{'name':'c','image':'busybox','volumeMounts':[
               {'name':'a','mountPath':'/a'},{'name':'b','mountPath':'/b'},{'name':'c','mountPath':'/c'}]}],
             'volumes':[{'name':'a','persistentVolumeClaim':{'claimName':'host'}},
                        {'name':'b','persistentVolumeClaim':{'claimName':'block'}},
                        {'name':'c','emptyDir':{}}]}}\
            """);
        await(world -> areMounted(world, 3));

        metrics(stat("used_bytes", "block") + ".*");
        List<String> lines = metrics(stat("used_bytes", "host") + ".*");

        String block = "{namespace=\"default\",persistentvolumeclaim=\"block\"}";
        String onHost = "{namespace=\"default\",persistentvolumeclaim=\"host\"}";
        for (String name : List.of(
                "capacity_bytes",
                "available_bytes",
                "used_bytes",
                "inodes",
                "inodes_free",
                "inodes_used",
                "health_status_abnormal")) {
            assertThat(withoutNumbers(lines, "kubelet_volume_stats_" + name + "{"))
                    .containsExactlyInAnyOrder(
                            "kubelet_volume_stats_" + name + block, "kubelet_volume_stats_" + name + onHost);
        }
        assertThat(lines)
                .contains(
                        "volume_manager_total_volumes{plugin_name=\"kubernetes.io/csi:block.mooring.dev\","
                                + "state=\"actual_state_of_world\"} 1.0",
                        "volume_manager_total_volumes{plugin_name=\"kubernetes.io/host-path\","
                                + "state=\"desired_state_of_world\"} 1.0",
                        "volume_manager_total_volumes{plugin_name=\"kubernetes.io/empty-dir\","
                                + "state=\"actual_state_of_world\"} 1.0",
                        "storage_operation_duration_seconds_count{migrated=\"false\",operation_name=\"volume_mount\","
                                + "status=\"success\",volume_plugin=\"kubernetes.io/empty-dir\"} 1",
                        "storage_operation_duration_seconds_count{migrated=\"false\",operation_name=\"mount_device\","
                                + "status=\"success\",volume_plugin=\"kubernetes.io/csi:block.mooring.dev\"} 1")
                .anyMatch(each -> each.startsWith("mooring_volume_operations_under_way "));
        assertThat(used()).containsExactly("block [0-9]", "host 3Mi (50%)");

        HttpResponse<String> deleted = client.send(HttpRequest.newBuilder(URI.create(server.url() + PODS + "/app"))
                .header("Authorization", "Bearer " + token)
                .DELETE());
        assertThat(deleted.statusCode()).as(deleted.body()).isEqualTo(200);
        await(world -> actual(world).stream().allMatch(each -> each.mounts().isEmpty()));
        metrics("mooring_volume_operations_under_way 0.0");
        while (!withoutNumbers(metrics(".*"), "kubelet_volume_stats_").isEmpty()) {
            // What is unmounted is forgotten a moment later.
        }
        assertThat(withoutNumbers(metrics(".*"), "volume_manager_total_volumes"))
                .isEmpty();
    }

    private static String claim(String name, String storageClass, String size) {
        return """
            {'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'NAME'},
             'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'CLASS','resources':{'requests':{'storage':'SIZE'}}}}\
            """.replace("NAME", name).replace("CLASS", storageClass).replace("SIZE", size);
    }

    /** Name and usage of each claim, as {@code kubectl get pvc -o wide} prints them; of what varies only that it is a number. */
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
