package dev.mooring.node.monitor;

import static dev.mooring.node.monitor.ClaimYaml.claim;
import static dev.mooring.node.monitor.ClaimYaml.local;
import static dev.mooring.node.monitor.ClaimYaml.nfs;
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

/** Tests when volumes are measured, and the resulting Events and metrics, in virtual time. */
class UsageControllerTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final FakeUsageMeter machine = new FakeUsageMeter();
    private final Set<String> unresponsiveServers = new HashSet<>();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private NodeControllersFixture fixture;
    private UsageCache cache;

    private void begin(String yaml) {
        fixture = new NodeControllersFixture(yaml);
        cache = new UsageCache(fixture.context().clock());
        UsageCollector collector = new UsageCollector(
                NodeControllersFixture.NODE,
                cache,
                machine,
                server -> !unresponsiveServers.contains(server),
                fixture.context());
        VolumeMetrics metrics = new VolumeMetrics(
                cache, fixture.context().clock(), () -> 3, () -> Map.of("nas", !unresponsiveServers.contains("nas")));
        registry.getPrometheusRegistry().register(metrics);
        fixture.start(() -> new UsageController(NodeControllersFixture.NODE, cache, metrics), collector);
    }

    private String used(String claim) {
        return cache.of("ns", claim).map(UsageCache.Used::text).orElse("<unknown>");
    }

    private List<String> metrics(String start) {
        return registry.scrape().lines().filter(line -> line.startsWith(start)).toList();
    }

    private static Consumer<ObjectNode> mount(Consumer<ObjectNode> change) {
        return volume -> change.accept((ObjectNode) volume.at("/status/mounts/0"));
    }

    @Test
    void mountedVolume_isMeasuredAtOnceAndEveryMinute() {
        machine.own("/p", 50);
        begin(claim("data"));
        fixture.put(local("data", "/p"));

        assertThat(machine.calls()).containsExactly("now /p");
        assertThat(used("data")).isEqualTo("50Mi (50%)");

        machine.own("/p", 60);
        fixture.pass(Duration.ofSeconds(59));
        assertThat(machine.calls()).isEmpty();
        fixture.pass(Duration.ofSeconds(1));
        assertThat(machine.calls()).containsExactly("now /p");
        assertThat(used("data")).isEqualTo("60Mi (60%)");
    }

    @Test
    void mountedVolume_changesOften_isNotMeasuredMoreOften() {
        machine.own("/p", 50);
        begin(claim("data") + local("data", "/p"));
        for (int i = 0; i < 20; i++) {
            fixture.change("actualvolumes.mooring.dev/data.x", mount(each -> each.put("content", fixture.now() + "")));
            fixture.pass(Duration.ofSeconds(1));
        }
        assertThat(machine.calls()).containsExactly("now /p");
    }

    @Test
    void claimOfSeveralPods_isMeasuredOnce() {
        machine.own("/p", 50);
        machine.own("/q", 50);
        begin(claim("data")
                + nfs("data", "nas", "/p")
                + nfs("data", "nas", "/q").replace("data.x", "data.y"));
        fixture.pass(MINUTE);
        assertThat(machine.calls()).containsOnly("nfs /p");
    }

    @Test
    void usageEvent_isRecordedOncePerCrossingWithHysteresis() {
        machine.own("/p", 84);
        begin(claim("data") + local("data", "/p"));
        fixture.pass(MINUTE);
        assertThat(fixture.recordedEvents()).isEmpty();

        machine.own("/p", 86);
        fixture.pass(MINUTE.multipliedBy(3));
        assertThat(fixture.recordedEvents())
                .containsExactly(
                        "Warning VolumeUsageHigh PersistentVolumeClaim/data x1: Volume \"data\" is 86% full: 86Mi used,"
                                + " 14Mi left. When it is full, writes fail: delete files or request more"
                                + " with spec.resources.requests.storage of the claim");

        for (int usedMi : List.of(84, 85, 83, 86)) {
            machine.own("/p", usedMi);
            fixture.pass(MINUTE);
        }
        assertThat(fixture.recordedEvents()).hasSize(1);

        machine.own("/p", 96);
        fixture.pass(MINUTE);
        assertThat(fixture.recordedEvents()).hasSize(2).anyMatch(each -> each.contains("VolumeUsageCritical"));

        machine.own("/p", 80);
        fixture.pass(MINUTE);
        machine.own("/p", 86);
        fixture.pass(MINUTE);
        assertThat(fixture.recordedEvents())
                .hasSize(2)
                .anyMatch(each -> each.contains("VolumeUsageHigh") && each.contains(" x2:"));
    }

    @Test
    void directoryVolume_isSizedEveryTenMinutesAndComparedWithItsClaim() {
        machine.shared("/p", 20, 90);
        begin(claim("data") + local("data", "/p"));
        assertThat(machine.calls()).containsExactly("now /p", "size /p");
        assertThat(used("data")).isEqualTo("90Mi (90%)");
        assertThat(fixture.recordedEvents())
                .containsExactly("Warning VolumeUsageHigh PersistentVolumeClaim/data x1: The files of volume \"data\""
                        + " take up 90Mi, which is 90% of the 100Mi of its claim. This size is not enforced: the volume"
                        + " is a directory of a shared file system, which has 80Mi left");

        fixture.pass(MINUTE.multipliedBy(9));
        assertThat(machine.calls()).hasSize(9).containsOnly("now /p");
        fixture.pass(MINUTE.multipliedBy(2));
        assertThat(machine.calls()).containsOnlyOnce("size /p");
        assertThat(metrics("kubelet_volume_stats_used_bytes"))
                .containsExactly(
                        "kubelet_volume_stats_used_bytes{namespace=\"ns\",persistentvolumeclaim=\"data\"} 9.437184E7");
    }

    @Test
    void directoryVolumes_areSizedOneAfterAnotherWithPauses() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            machine.shared("/p" + i, 20, 1);
            yaml.append(claim("c" + i)).append(local("c" + i, "/p" + i));
        }
        begin(yaml.toString());
        fixture.pass(Duration.ofSeconds(9));
        assertThat(machine.calls().stream().filter(each -> each.startsWith("size")))
                .hasSizeBetween(8, 11);
        fixture.pass(Duration.ofSeconds(20));
        assertThat(machine.calls().stream().filter(each -> each.startsWith("size")))
                .hasSizeBetween(9, 12);
    }

    @Test
    void measurement_fails_lastValueIsKeptForFiveMinutes() {
        machine.own("/p", 50);
        begin(claim("data") + local("data", "/p"));
        machine.spaces.clear();

        fixture.pass(MINUTE.multipliedBy(5));
        assertThat(used("data")).isEqualTo("50Mi (50%)");
        assertThat(metrics("kubelet_volume_stats_capacity_bytes")).hasSize(1);
        fixture.pass(MINUTE.multipliedBy(2));
        assertThat(used("data")).isEqualTo("<unknown>");
        assertThat(metrics("kubelet_volume_stats_capacity_bytes")).isEmpty();

        machine.own("/p", 51);
        fixture.pass(MINUTE);
        assertThat(used("data")).isEqualTo("51Mi (51%)");
    }

    @Test
    void volumeThatMayBlock_isMeasuredOnAWorkerThread() {
        machine.own("/p", 50);
        machine.mayBlock.add(Path.of("/p"));
        begin(claim("data") + local("data", "/p"));
        assertThat(machine.calls()).containsExactly("blocking /p");
        assertThat(used("data")).isEqualTo("50Mi (50%)");
    }

    @Test
    void volumeOfUnresponsiveServer_isNotMeasured() {
        machine.own("/p", 50);
        unresponsiveServers.add("nas");
        begin(claim("data") + nfs("data", "nas", "/p"));
        fixture.pass(MINUTE);
        assertThat(machine.calls()).isEmpty();
        assertThat(metrics("mooring_nfs_server_up")).containsExactly("mooring_nfs_server_up{server=\"nas\"} 0.0");

        unresponsiveServers.clear();
        fixture.pass(MINUTE);
        assertThat(machine.calls()).containsOnly("nfs /p");
        assertThat(metrics("mooring_nfs_server_up")).containsExactly("mooring_nfs_server_up{server=\"nas\"} 1.0");
    }

    @Test
    void unhealthyMount_isNotMeasuredAndShownInMetrics() {
        machine.own("/p", 50);
        begin(claim("data") + nfs("data", "nas", "/p"));
        machine.calls();
        fixture.change(
                "actualvolumes.mooring.dev/data.x",
                mount(each -> each.putObject("health").put("reason", "StaleHandle")));
        fixture.pass(MINUTE.multipliedBy(2));
        assertThat(machine.calls()).isEmpty();
        assertThat(metrics("kubelet_volume_stats_health"))
                .containsExactly("kubelet_volume_stats_health_status_abnormal"
                        + "{namespace=\"ns\",persistentvolumeclaim=\"data\"} 1.0");
        fixture.change("actualvolumes.mooring.dev/data.x", mount(each -> each.remove("health")));
        assertThat(metrics("kubelet_volume_stats_health"))
                .containsExactly("kubelet_volume_stats_health_status_abnormal"
                        + "{namespace=\"ns\",persistentvolumeclaim=\"data\"} 0.0");
    }

    @Test
    void metrics_haveNamesOfTheKubeletAndEndWithTheVolume() {
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

        fixture.remove("desiredvolumes.mooring.dev/d1");
        fixture.change("actualvolumes.mooring.dev/data.x", mount(each -> each.put("state", "Unmounting")));
        assertThat(metrics("kubelet_volume_stats_")).isEmpty();
        assertThat(metrics("volume_manager_total_volumes"))
                .containsExactly("volume_manager_total_volumes{plugin_name=\"kubernetes.io/csi:block.mooring.dev\","
                        + "state=\"desired_state_of_world\"} 1.0");
        machine.calls();
        fixture.pass(MINUTE.multipliedBy(2));
        assertThat(machine.calls()).isEmpty();
    }

    private static String persistentVolume(String name, String source) {
        return "---\n{kind: PersistentVolume, metadata: {name: " + name + "}, spec: {" + source + "}}\n";
    }

    @Test
    void directoryOfAClaim_withoutAPod_isSizedAtMostEveryTenMinutes() {
        machine.shared("/disk", 20, 90);
        begin(persistentVolume("data", "hostPath: {path: /disk}") + claim("data"));

        assertThat(machine.calls()).containsExactly("now /disk", "size /disk");
        assertThat(used("data")).isEqualTo("90Mi (90%)");
        assertThat(metrics("kubelet_volume_stats_")).isEmpty();
        fixture.pass(MINUTE.multipliedBy(9));
        assertThat(machine.calls()).containsExactly("now /disk");

        machine.shared("/disk", 20, 10);
        fixture.pass(MINUTE.multipliedBy(6));
        assertThat(machine.calls()).containsOnlyOnce("size /disk");
        assertThat(used("data")).isEqualTo("10Mi (10%)");

        fixture.remove("persistentvolumeclaims/ns/data");
        assertThat(used("data")).isEqualTo("<unknown>");
        fixture.pass(MINUTE.multipliedBy(11));
        assertThat(machine.calls()).isEmpty();
    }

    @Test
    void directoryThatMayBeRemoteOrOnAnotherNode_withoutAPod_isNotMeasured() {
        machine.shared("/link", 20, 90);
        machine.mayBlock.add(Path.of("/link"));
        begin(persistentVolume("data", "hostPath: {path: /link}")
                + claim("data")
                + persistentVolume(
                        "far",
                        "local: {path: /disk}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key:"
                                + " kubernetes.io/hostname, operator: In, values: [n2]}]}]}}")
                + claim("far"));
        fixture.pass(MINUTE);

        assertThat(machine.calls()).isEmpty();
        assertThat(used("data")).isEqualTo("<unknown>");
    }

    @Test
    void volumeWithItsOwnFileSystem_afterItsPod_keepsTheLastValue() {
        machine.own("/p", 50);
        begin(persistentVolume("data", "nfs: {server: nas, path: /x}") + claim("data") + nfs("data", "nas", "/p"));
        fixture.remove("actualvolumes.mooring.dev/data.x");
        machine.calls();
        fixture.pass(MINUTE.multipliedBy(60));

        assertThat(machine.calls()).isEmpty();
        assertThat(used("data")).isEqualTo("50Mi (50%)");
        assertThat(cache.of("ns", "data").orElseThrow().measured())
                .isBefore(fixture.now().minus(MINUTE.multipliedBy(59)));
        assertThat(metrics("kubelet_volume_stats_")).isEmpty();

        fixture.put(persistentVolume("other", "nfs: {server: nas, path: /y}")
                + claim("data").replace("volumeName: data", "volumeName: other"));
        assertThat(used("data")).isEqualTo("<unknown>");
    }

    @Test
    void directoriesOfMountedVolumes_areSizedBeforeOthers() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            machine.shared("/d" + i, 20, 1);
            yaml.append(persistentVolume("c" + i, "hostPath: {path: /d" + i + "}"))
                    .append(claim("c" + i));
        }
        begin(yaml.toString());
        fixture.pass(Duration.ofSeconds(1));
        machine.calls();
        machine.shared("/p", 20, 1);
        fixture.put(claim("data") + local("data", "/p"));
        fixture.pass(Duration.ofSeconds(2));

        assertThat(machine.calls()).contains("size /p");
    }

    @Test
    void rawDevice_hasCapacityMetricOnly() {
        begin(claim("data")
                + local("data", "/dev/x")
                        .replace("Filesystem", "Block")
                        .replace("state: Mounted, mounts", "capacity: 64Mi, mounts"));
        assertThat(machine.calls()).isEmpty();
        assertThat(metrics("kubelet_volume_stats_").stream().map(each -> each.replaceAll("\\{.*} ", " ")))
                .containsExactlyInAnyOrder(
                        "kubelet_volume_stats_capacity_bytes 6.7108864E7",
                        "kubelet_volume_stats_health_status_abnormal 0.0");
    }

    @Test
    void manyVolumes_firstMeasurements_areSpreadOverSeveralSeconds() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            machine.own("/p" + i, 50);
            yaml.append(claim("c" + i)).append(local("c" + i, "/p" + i));
        }
        begin(yaml.toString());
        Set<String> measured = new HashSet<>(machine.calls());
        for (int second = 0; second < 7; second++) {
            fixture.pass(Duration.ofSeconds(1));
            assertThat(machine.calls.size()).isLessThanOrEqualTo(168);
            measured.addAll(machine.calls());
        }
        assertThat(measured).hasSize(1000);
        fixture.pass(Duration.ofSeconds(50));
        assertThat(machine.calls()).isEmpty();
    }

    @Test
    void newController_volumesThatItDoesNotHave_areForgotten() {
        machine.own("/p", 50);
        machine.own("/q", 50);
        begin(claim("a") + claim("b") + local("a", "/p") + local("b", "/q"));
        fixture.pass(Duration.ofSeconds(1));
        UsageCollector collector =
                new UsageCollector(NodeControllersFixture.NODE, cache, machine, server -> true, fixture.context());
        VolumeMetrics metrics = new VolumeMetrics(cache, fixture.context().clock(), () -> 0, Map::of);
        fixture.start(() -> new UsageController("another", cache, metrics), collector);
        assertThat(used("a")).isEqualTo("<unknown>");
        assertThat(used("b")).isEqualTo("<unknown>");
    }
}
