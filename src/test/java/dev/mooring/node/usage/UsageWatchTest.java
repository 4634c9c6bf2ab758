package dev.mooring.node.usage;

import static dev.mooring.node.usage.Claims.claim;
import static dev.mooring.node.usage.Claims.local;
import static dev.mooring.node.usage.Claims.nfs;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is measured when, and what comes of it, in virtual time. */
class UsageWatchTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final FakeMeter machine = new FakeMeter();
    private final Set<String> deadServers = new HashSet<>();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private LookoutBench bench;
    private UsageBook book;

    private void begin(String yaml) {
        bench = new LookoutBench(yaml);
        book = new UsageBook(bench.parts().clock());
        UsageRounds rounds = new UsageRounds(
                LookoutBench.NODE, book, machine, server -> !deadServers.contains(server), bench.parts());
        VolumeMetrics metrics = new VolumeMetrics(
                book, bench.parts().clock(), () -> 3, () -> Map.of("nas", !deadServers.contains("nas")));
        registry.getPrometheusRegistry().register(metrics);
        bench.start(() -> new UsageWatch(LookoutBench.NODE, rounds, metrics));
    }

    private String used(String claim) {
        return book.of("ns", claim).map(UsageBook.Used::text).orElse("<unknown>");
    }

    private List<String> metrics(String start) {
        return registry.scrape().lines().filter(line -> line.startsWith(start)).toList();
    }

    private static Consumer<ObjectNode> mount(Consumer<ObjectNode> change) {
        return volume -> change.accept((ObjectNode) volume.at("/status/mounts/0"));
    }

    @Test
    void measuresOnceAMinuteAndSoonAfterTheMount() {
        machine.own("/p", 50);
        begin(claim("data"));
        bench.put(local("data", "/p"));

        assertThat(machine.asked()).containsExactly("atOnce /p");
        assertThat(used("data")).isEqualTo("50Mi (50%)");

        machine.own("/p", 60);
        bench.pass(Duration.ofSeconds(59));
        assertThat(machine.asked()).isEmpty();
        bench.pass(Duration.ofSeconds(1));
        assertThat(machine.asked()).containsExactly("atOnce /p");
        assertThat(used("data")).isEqualTo("60Mi (60%)");
    }

    @Test
    void isNotMeasuredMoreOftenBecauseItChangesOften() {
        machine.own("/p", 50);
        begin(claim("data") + local("data", "/p"));
        for (int i = 0; i < 20; i++) {
            bench.change("actualvolumes.mooring.dev/data.x", mount(each -> each.put("content", bench.now() + "")));
            bench.pass(Duration.ofSeconds(1));
        }
        assertThat(machine.asked()).containsExactly("atOnce /p");
    }

    @Test
    void severalPodsOnOneClaimCostOneMeasurement() {
        machine.own("/p", 50);
        machine.own("/q", 50);
        begin(claim("data")
                + nfs("data", "nas", "/p")
                + nfs("data", "nas", "/q").replace("data.x", "data.y"));
        bench.pass(MINUTE);
        assertThat(machine.asked()).containsOnly("export /p");
    }

    @Test
    void tellsOnceWhenALineIsCrossedAndAgainOnlyAfterItWasClearlyLeft() {
        machine.own("/p", 84);
        begin(claim("data") + local("data", "/p"));
        bench.pass(MINUTE);
        assertThat(bench.told()).isEmpty();

        machine.own("/p", 86);
        bench.pass(MINUTE.multipliedBy(3));
        assertThat(bench.told())
                .containsExactly(
                        "Warning VolumeUsageHigh PersistentVolumeClaim/data x1: Volume \"data\" is 86% full: 86Mi used,"
                                + " 14Mi left. When nothing is left, writing to it fails: delete files or ask for more"
                                + " with spec.resources.requests.storage of the claim");

        for (int usedMi : List.of(84, 85, 83, 86)) {
            machine.own("/p", usedMi);
            bench.pass(MINUTE);
        }
        assertThat(bench.told()).hasSize(1);

        machine.own("/p", 96);
        bench.pass(MINUTE);
        assertThat(bench.told()).hasSize(2).anyMatch(each -> each.contains("VolumeUsageCritical"));

        machine.own("/p", 80);
        bench.pass(MINUTE);
        machine.own("/p", 86);
        bench.pass(MINUTE);
        assertThat(bench.told()).hasSize(2).anyMatch(each -> each.contains("VolumeUsageHigh") && each.contains(" x2:"));
    }

    @Test
    void aDirectoryIsAddedUpSeldomAndComparedWithWhatItsClaimAskedFor() {
        machine.shared("/p", 20, 90);
        begin(claim("data") + local("data", "/p"));
        assertThat(machine.asked()).containsExactly("atOnce /p", "sum /p");
        assertThat(used("data")).isEqualTo("90Mi (90%)");
        assertThat(bench.told())
                .containsExactly("Warning VolumeUsageHigh PersistentVolumeClaim/data x1: The files of volume \"data\""
                        + " take up 90Mi, which is 90% of the 100Mi of its claim. This size is not enforced: the volume"
                        + " is a directory of a file system that others use too, and which has 80Mi left");

        bench.pass(MINUTE.multipliedBy(9));
        assertThat(machine.asked()).hasSize(9).containsOnly("atOnce /p");
        bench.pass(MINUTE.multipliedBy(2));
        assertThat(machine.asked()).containsOnlyOnce("sum /p");
        assertThat(metrics("kubelet_volume_stats_used_bytes"))
                .containsExactly(
                        "kubelet_volume_stats_used_bytes{namespace=\"ns\",persistentvolumeclaim=\"data\"} 9.437184E7");
    }

    @Test
    void directoriesAreAddedUpOneAfterAnotherWithRests() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            machine.shared("/p" + i, 20, 1);
            yaml.append(claim("c" + i)).append(local("c" + i, "/p" + i));
        }
        begin(yaml.toString());
        bench.pass(Duration.ofSeconds(9));
        assertThat(machine.asked().stream().filter(each -> each.startsWith("sum")))
                .hasSizeBetween(8, 11);
        bench.pass(Duration.ofSeconds(20));
        assertThat(machine.asked().stream().filter(each -> each.startsWith("sum")))
                .hasSizeBetween(9, 12);
    }

    @Test
    void theLastValueCountsForFiveMinutesWhenThereIsNoNewOne() {
        machine.own("/p", 50);
        begin(claim("data") + local("data", "/p"));
        machine.known.clear();

        bench.pass(MINUTE.multipliedBy(5));
        assertThat(used("data")).isEqualTo("50Mi (50%)");
        assertThat(metrics("kubelet_volume_stats_capacity_bytes")).hasSize(1);
        bench.pass(MINUTE.multipliedBy(2));
        assertThat(used("data")).isEqualTo("<unknown>");
        assertThat(metrics("kubelet_volume_stats_capacity_bytes")).isEmpty();

        machine.own("/p", 51);
        bench.pass(MINUTE);
        assertThat(used("data")).isEqualTo("51Mi (51%)");
    }

    @Test
    void whatMayHangIsAskedPatiently() {
        machine.own("/p", 50);
        machine.unclear.add(Path.of("/p"));
        begin(claim("data") + local("data", "/p"));
        assertThat(machine.asked()).containsExactly("patiently /p");
        assertThat(used("data")).isEqualTo("50Mi (50%)");
    }

    @Test
    void aServerThatDoesNotAnswerIsNotAsked() {
        machine.own("/p", 50);
        deadServers.add("nas");
        begin(claim("data") + nfs("data", "nas", "/p"));
        bench.pass(MINUTE);
        assertThat(machine.asked()).isEmpty();
        assertThat(metrics("mooring_nfs_server_up")).containsExactly("mooring_nfs_server_up{server=\"nas\"} 0.0");

        deadServers.clear();
        bench.pass(MINUTE);
        assertThat(machine.asked()).containsOnly("export /p");
        assertThat(metrics("mooring_nfs_server_up")).containsExactly("mooring_nfs_server_up{server=\"nas\"} 1.0");
    }

    @Test
    void aMountThatIsNotWellIsNotAskedAndShowsInTheMetrics() {
        machine.own("/p", 50);
        begin(claim("data") + nfs("data", "nas", "/p"));
        machine.asked();
        bench.change(
                "actualvolumes.mooring.dev/data.x",
                mount(each -> each.putObject("health").put("reason", "StaleHandle")));
        bench.pass(MINUTE.multipliedBy(2));
        assertThat(machine.asked()).isEmpty();
        assertThat(metrics("kubelet_volume_stats_health"))
                .containsExactly("kubelet_volume_stats_health_status_abnormal"
                        + "{namespace=\"ns\",persistentvolumeclaim=\"data\"} 1.0");
        bench.change("actualvolumes.mooring.dev/data.x", mount(each -> each.remove("health")));
        assertThat(metrics("kubelet_volume_stats_health"))
                .containsExactly("kubelet_volume_stats_health_status_abnormal"
                        + "{namespace=\"ns\",persistentvolumeclaim=\"data\"} 0.0");
    }

    @Test
    void metricsHaveTheKubeletsNamesAndGoWithTheVolume() {
        machine.own("/p", 50);
        begin(claim("data") + local("data", "/p") + """
            ---
            {kind: DesiredVolume, apiVersion: mooring.dev/v1, metadata: {name: d1}, spec: {node: n1, plugin: kubernetes.io/csi}}
            ---
            {kind: DesiredVolume, apiVersion: mooring.dev/v1, metadata: {name: d2}, spec: {node: n1, plugin: kubernetes.io/csi}}
            ---
            {kind: DesiredVolume, apiVersion: mooring.dev/v1, metadata: {name: d3}, spec: {node: n2, plugin: kubernetes.io/csi}}
            """);
        String labels = "{namespace=\"ns\",persistentvolumeclaim=\"data\"} ";
        assertThat(metrics("kubelet_volume_stats_"))
                .containsExactlyInAnyOrder(
                        "kubelet_volume_stats_available_bytes" + labels + "5.24288E7",
                        "kubelet_volume_stats_capacity_bytes" + labels + "1.048576E8",
                        "kubelet_volume_stats_health_status_abnormal" + labels + "0.0",
                        "kubelet_volume_stats_inodes" + labels + "1000.0",
                        "kubelet_volume_stats_inodes_free" + labels + "990.0",
                        "kubelet_volume_stats_inodes_used" + labels + "10.0",
                        "kubelet_volume_stats_used_bytes" + labels + "5.24288E7");
        assertThat(metrics("volume_manager_total_volumes"))
                .containsExactlyInAnyOrder(
                        "volume_manager_total_volumes{plugin_name=\"kubernetes.io/csi:block.mooring.dev\","
                                + "state=\"desired_state_of_world\"} 2.0",
                        "volume_manager_total_volumes{plugin_name=\"kubernetes.io/local-volume\","
                                + "state=\"actual_state_of_world\"} 1.0");
        assertThat(metrics("mooring_volume_operations_under_way"))
                .containsExactly("mooring_volume_operations_under_way 3.0");

        bench.remove("desiredvolumes.mooring.dev/d1");
        bench.change("actualvolumes.mooring.dev/data.x", mount(each -> each.put("state", "Unmounting")));
        assertThat(metrics("kubelet_volume_stats_")).isEmpty();
        assertThat(metrics("volume_manager_total_volumes"))
                .containsExactly("volume_manager_total_volumes{plugin_name=\"kubernetes.io/csi:block.mooring.dev\","
                        + "state=\"desired_state_of_world\"} 1.0");
        machine.asked();
        bench.pass(MINUTE.multipliedBy(2));
        assertThat(machine.asked()).isEmpty();
    }

    @Test
    void aRawDeviceHasOnlyASize() {
        begin(claim("data")
                + local("data", "/dev/x")
                        .replace("Filesystem", "Block")
                        .replace("state: Mounted, mounts", "capacity: 64Mi, mounts"));
        assertThat(machine.asked()).isEmpty();
        assertThat(metrics("kubelet_volume_stats_").stream().map(each -> each.replaceAll("\\{.*} ", " ")))
                .containsExactlyInAnyOrder(
                        "kubelet_volume_stats_capacity_bytes 6.7108864E7",
                        "kubelet_volume_stats_health_status_abnormal 0.0");
    }

    @Test
    void manyVolumesAreSpreadOverTheFirstMinute() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            machine.own("/p" + i, 50);
            yaml.append(claim("c" + i)).append(local("c" + i, "/p" + i));
        }
        begin(yaml.toString());
        Set<String> seen = new HashSet<>(machine.asked());
        for (int second = 0; second < 7; second++) {
            bench.pass(Duration.ofSeconds(1));
            assertThat(machine.asked.size()).isLessThanOrEqualTo(168);
            seen.addAll(machine.asked());
        }
        assertThat(seen).hasSize(1000);
        bench.pass(Duration.ofSeconds(50));
        assertThat(machine.asked()).isEmpty();
    }

    @Test
    void aNewWatchForgetsWhatIsGoneAndKeepsWhatIsKnown() {
        machine.own("/p", 50);
        machine.own("/q", 50);
        begin(claim("a") + claim("b") + local("a", "/p") + local("b", "/q"));
        bench.pass(Duration.ofSeconds(1));
        UsageRounds rounds = new UsageRounds(LookoutBench.NODE, book, machine, server -> true, bench.parts());
        VolumeMetrics metrics = new VolumeMetrics(book, bench.parts().clock(), () -> 0, Map::of);
        bench.start(() -> new UsageWatch("another", rounds, metrics));
        assertThat(used("a")).isEqualTo("<unknown>");
        assertThat(used("b")).isEqualTo("<unknown>");
    }
}
