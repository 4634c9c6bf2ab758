package dev.mooring.node.monitor;

import static dev.mooring.node.monitor.ClaimYaml.claim;
import static dev.mooring.node.monitor.ClaimYaml.local;
import static dev.mooring.node.monitor.ClaimYaml.nfs;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.MountTable;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.volume.MountHealth;
import dev.mooring.volume.MountHealth.State;
import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.ServerHealth;
import dev.mooring.volume.ServerListener;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.nfs.NfsPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the health of mounts and the monitoring of NFS servers, in virtual time. */
class MountHealthControllerTest {
    private static final String VOLUME = "actualvolumes.mooring.dev/data.x";
    private static final MountHealth STALE =
            new MountHealth(State.STALE, "the file handle is stale", "Stale file handle");
    private static final MountHealth SILENT = new MountHealth(State.UNREACHABLE, "the server did not answer", "");
    private static final MountHealth BROKEN = new MountHealth(State.FAILED, "there is nothing at /p any more", "");
    private static final String OBJECTS = """
        ---
        {kind: PersistentVolume, metadata: {name: data}, spec: {mountOptions: [port=2050]}}
        ---
        {kind: Pod, metadata: {name: pod, namespace: ns}, spec: {nodeName: n1}}
        """ + claim("data");

    private final Map<Path, MountHealth> mounts = new HashMap<>();
    private final Set<String> running = new HashSet<>();
    private final List<String> probed = new ArrayList<>();
    private final List<VolumeSpec> probedServers = new ArrayList<>();
    private String table = "1 0 8:1 / / rw - ext4 /dev/root rw\n";
    private boolean serverResponds;
    private NodeControllersFixture fixture;
    private RemoteServers servers;
    private MountProber prober;
    private RemoteServerMonitor monitor;

    private void begin(String yaml) {
        fixture = new NodeControllersFixture(OBJECTS + yaml);
        servers = new RemoteServers(fixture.context().clock(), ServerListener.NO_OP);
        prober = new MountProber(
                NodeControllersFixture.NODE,
                NfsPlugin.NAME,
                servers,
                new FakeMountInspector(),
                running::contains,
                fixture.context());
        monitor = new RemoteServerMonitor(
                NodeControllersFixture.NODE, NfsPlugin.NAME, servers, this::probeServer, prober, fixture.context());
        servers.addListener(monitor);
        fixture.start(() -> new MountHealthController(NodeControllersFixture.NODE), prober);
        fixture.eventTypes();
    }

    private void probeServer(VolumeSpec volume) {
        probedServers.add(volume);
        if (serverResponds) {
            servers.recordProbe("nas", MountHealth.HEALTHY);
        }
    }

    private final class FakeMountInspector implements MountProber.MountInspector {
        @Override
        public MountHealth probe(Path target) {
            probed.add(target.toString());
            return mounts.getOrDefault(target, MountHealth.HEALTHY);
        }

        @Override
        public MountTable table() {
            return MountTable.parse(table);
        }
    }

    private List<String> probed() {
        List<String> result = List.copyOf(probed);
        probed.clear();
        return result;
    }

    private ObjectNode mount() {
        return (ObjectNode) fixture.tree(VOLUME).at("/status/mounts/0");
    }

    private static void seconds(NodeControllersFixture controllers, long seconds) {
        controllers.pass(Duration.ofSeconds(seconds));
    }

    @Test
    void healthyMounts_onlyNfsIsProbedEvery30SecondsWithoutWrites() {
        begin(nfs("data", "nas", "/p") + claim("disk") + local("disk", "/q"));
        seconds(fixture, 60);
        assertThat(probed()).containsExactly("/p", "/p", "/p");
        assertThat(fixture.eventTypes()).isEmpty();
        assertThat(fixture.recordedEvents()).isEmpty();
    }

    @Test
    void staleMount_inUse_recordsEventsOnceAndAgainOnRecovery() {
        running.add("uid-pod");
        begin(nfs("data", "nas", "/p"));
        mounts.put(Path.of("/p"), STALE);
        seconds(fixture, 90);

        assertThat(fixture.eventTypes()).containsExactly("VolumeUnhealthy " + VOLUME);
        assertThat(mount().path("health").toString())
                .isEqualTo("{\"reason\":\"StaleHandle\",\"message\":\"the file handle is stale\","
                        + "\"since\":\"2026-01-01T00:00:30Z\"}");
        assertThat(mount().path("state").asText()).isEqualTo("Mounted");
        String message = " x1: Volume v: the file handle is stale";
        assertThat(fixture.recordedEvents())
                .containsExactly(
                        "Warning VolumeConditionAbnormal PersistentVolume/data" + message,
                        "Warning VolumeConditionAbnormal PersistentVolumeClaim/data" + message,
                        "Warning VolumeConditionAbnormal Pod/pod" + message);

        mounts.clear();
        seconds(fixture, 90);
        assertThat(fixture.eventTypes()).containsExactly("VolumeHealthy " + VOLUME);
        assertThat(mount().has("health")).isFalse();
        assertThat(fixture.recordedEvents())
                .hasSize(6)
                .filteredOn(each -> each.startsWith("Normal"))
                .containsExactly(
                        "Normal VolumeConditionNormal PersistentVolume/data x1: The Volume returns to the healthy"
                                + " state",
                        "Normal VolumeConditionNormal PersistentVolumeClaim/data x1: The Volume returns to the healthy"
                                + " state",
                        "Normal VolumeConditionNormal Pod/pod x1: The Volume returns to the healthy state");
    }

    @Test
    void staleMount_unused_becomesUncertainForRemount() {
        begin(nfs("data", "nas", "/p"));
        mounts.put(Path.of("/p"), STALE);
        seconds(fixture, 30);

        assertThat(mount().path("state").asText()).isEqualTo("Uncertain");
        assertThat(fixture.tree(VOLUME).at("/status/state").asText()).isEqualTo("Uncertain");
        seconds(fixture, 60);
        assertThat(fixture.eventTypes()).containsExactly("VolumeUnhealthy " + VOLUME);

        // The reconciler mounts it again.
        mounts.clear();
        fixture.change(VOLUME, volume -> {
            ObjectNode mount = (ObjectNode) volume.at("/status/mounts/0");
            mount.put("state", "Mounted").remove("health");
        });
        seconds(fixture, 60);
        assertThat(fixture.recordedEvents())
                .anyMatch(each -> each.startsWith("Normal VolumeConditionNormal Pod/pod x1"));
    }

    @Test
    void staleMount_containerRunning_staysMountedUntilContainerEnds() {
        begin(nfs("data", "nas", "/p"));
        fixture.change(
                "pods/ns/pod",
                pod -> pod.putObject("status")
                        .putArray("containerStatuses")
                        .addObject()
                        .putObject("state")
                        .putObject("running"));
        mounts.put(Path.of("/p"), STALE);
        seconds(fixture, 60);
        assertThat(mount().path("state").asText()).isEqualTo("Mounted");
        assertThat(fixture.eventTypes()).containsExactly("VolumeUnhealthy " + VOLUME);

        fixture.change("pods/ns/pod", pod -> pod.remove("status"));
        seconds(fixture, 30);
        assertThat(mount().path("state").asText()).isEqualTo("Uncertain");
        assertThat(fixture.recordedEvents()).hasSize(3).allMatch(each -> each.contains(" x1: "));
    }

    @Test
    void failedMount_notInMountTable_becomesUncertain() {
        running.add("uid-pod");
        begin(nfs("data", "nas", "/p"));
        mounts.put(Path.of("/p"), BROKEN);
        seconds(fixture, 30);
        assertThat(mount().at("/health/reason").asText()).isEqualTo("IoError");
        assertThat(mount().path("state").asText()).isEqualTo("Uncertain");
    }

    @Test
    void failedMount_inMountTable_staysMounted() {
        begin(nfs("data", "nas", "/p"));
        table += "2 1 0:9 / /p rw - nfs4 nas:/x rw\n";
        mounts.put(Path.of("/p"), BROKEN);
        seconds(fixture, 30);
        assertThat(mount().at("/health/reason").asText()).isEqualTo("IoError");
        assertThat(mount().path("state").asText()).isEqualTo("Mounted");
    }

    @Test
    void silentServer_isProbedAndItsVolumesRetriedAfterRecovery() {
        begin(nfs("data", "NAS", "/p")
                + nfs("waits", "nas", "/q")
                        .replace(
                                "state: Mounted}",
                                "state: Failed, attempts: 7, nextTry: '2026-01-01T01:00:00Z',"
                                        + " lastError: {operation: volume_mount}}"));
        mounts.put(Path.of("/p"), SILENT);
        seconds(fixture, 90);

        assertThat(monitor.up()).containsExactly(Map.entry("nas", false));
        assertThat(mount().at("/health/reason").asText()).isEqualTo("ServerUnreachable");
        assertThat(fixture.recordedEvents())
                .contains("Warning NFSServerUnreachable Node/n1 x1: NFS server nas has not answered since"
                        + " 2026-01-01T00:00:30Z (3 times; the last time: the server did not answer). Operations on its"
                        + " volumes wait; next probe at 2026-01-01T00:01:35Z");
        probed();

        seconds(fixture, 60);
        assertThat(probed()).isEmpty();
        assertThat(probedServers.size()).isBetween(10, 12);
        assertThat(probedServers.get(0).source().at("/nfs/server").asText()).isEqualTo("NAS");
        assertThat(probedServers.get(0).mountOptions()).containsExactly("port=2050");
        assertThat(fixture.recordedEvents().stream().filter(each -> each.contains("Node/n1")))
                .hasSize(1);
        fixture.eventTypes();

        serverResponds = true;
        mounts.clear();
        seconds(fixture, 7);
        assertThat(fixture.eventTypes())
                .containsExactlyInAnyOrder(
                        "VolumeHealthy " + VOLUME, "VolumeRetryAdvanced actualvolumes.mooring.dev/waits.x");
        ObjectNode waits =
                (ObjectNode) fixture.tree("actualvolumes.mooring.dev/waits.x").at("/status/mounts/0");
        assertThat(waits.has("nextTry") || waits.has("attempts")).isFalse();
        assertThat(waits.has("lastError")).isTrue();
        assertThat(monitor.up()).containsExactly(Map.entry("nas", true));
        assertThat(fixture.recordedEvents())
                .anyMatch(each -> each.matches("Normal NFSServerReachable Node/n1 x1: NFS server nas answers again,"
                        + " after 12[0-9] s; retrying volumes that waited for it: 1"))
                .anyMatch(each -> each.startsWith("Normal VolumeConditionNormal Pod/pod"));
        probedServers.clear();
        seconds(fixture, 120);
        assertThat(probedServers).isEmpty();
    }

    @Test
    void unreachableServer_itsVolumesBecomeUnhealthyAtOnce() {
        begin(nfs("data", "nas", "/p") + claim("b") + nfs("b", "NAS", "/q") + claim("c") + nfs("c", "san", "/r"));
        seconds(fixture, 1);
        probed();
        fixture.eventTypes();
        // As failed mounts of other Pods do.
        for (int i = 0; i < 3; i++) {
            servers.recordProbe("nas", SILENT);
        }
        fixture.settle();

        assertThat(fixture.eventTypes())
                .containsExactlyInAnyOrder(
                        "VolumeUnhealthy " + VOLUME, "VolumeUnhealthy actualvolumes.mooring.dev/b.x");
        assertThat(probed()).isEmpty();
        assertThat(mount().at("/health/reason").asText()).isEqualTo("ServerUnreachable");
        assertThat(fixture.recordedEvents())
                .anyMatch(each -> each.startsWith("Warning VolumeConditionAbnormal Pod/pod"));
        seconds(fixture, 120);
        assertThat(fixture.eventTypes()).isEmpty();
    }

    @Test
    void unreachableServer_withoutVolumes_isNotProbed() {
        begin(nfs("data", "nas", "/p"));
        for (int i = 0; i < 3; i++) {
            servers.recordProbe("nas", SILENT);
        }
        assertThat(servers.health("nas").state()).isEqualTo(ServerHealth.State.OPEN);
        fixture.remove(VOLUME);
        seconds(fixture, 120);
        assertThat(probedServers).isEmpty();
        assertThat(monitor.up()).isEmpty();
    }

    @Test
    void mountsOfOneServer_areProbedOneAtATime() {
        begin(nfs("data", "nas", "/p") + claim("b") + nfs("b", "nas", "/q") + claim("c") + nfs("c", "san", "/r"));
        seconds(fixture, 1);
        probed();
        for (String each : List.of("data", "b", "c", "data")) {
            prober.request(ActualVolume.of(fixture.world()
                    .get(ObjectKey.parse("actualvolumes.mooring.dev/" + each + ".x"))
                    .orElseThrow()));
        }
        assertThat(fixture.threads).hasSize(2);
        fixture.settle();
        assertThat(probed()).containsExactlyInAnyOrder("/p", "/q", "/r");
    }
}
