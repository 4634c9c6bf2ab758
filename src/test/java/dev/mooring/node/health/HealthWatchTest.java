package dev.mooring.node.health;

import static dev.mooring.node.usage.Claims.claim;
import static dev.mooring.node.usage.Claims.local;
import static dev.mooring.node.usage.Claims.nfs;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.node.usage.LookoutBench;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.nfs.Health;
import dev.mooring.volume.nfs.Health.State;
import dev.mooring.volume.nfs.NfsServers;
import dev.mooring.volume.nfs.ServerHealth;
import dev.mooring.volume.nfs.ServerListener;
import dev.mooring.volume.path.MountTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Mounts that fall ill and get well, and servers that go and come back, in virtual time. */
class HealthWatchTest {
    private static final String VOLUME = "actualvolumes.mooring.dev/data.x";
    private static final Health STALE = new Health(State.STALE, "the file handle is stale", "Stale file handle");
    private static final Health SILENT = new Health(State.UNREACHABLE, "the server did not answer", "");
    private static final Health BROKEN = new Health(State.FAILED, "there is nothing at /p any more", "");
    private static final String OBJECTS = """
        ---
        {kind: PersistentVolume, metadata: {name: data}, spec: {mountOptions: [port=2050]}}
        ---
        {kind: Pod, metadata: {name: pod, namespace: ns}, spec: {nodeName: n1}}
        """ + claim("data");

    private final Map<Path, Health> mounts = new HashMap<>();
    private final Set<String> running = new HashSet<>();
    private final List<String> probed = new ArrayList<>();
    private final List<VolumeSpec> knocked = new ArrayList<>();
    private String table = "1 0 8:1 / / rw - ext4 /dev/root rw\n";
    private boolean back;
    private LookoutBench bench;
    private NfsServers servers;
    private Prober prober;
    private ServerWatch watch;

    private void begin(String yaml) {
        bench = new LookoutBench(OBJECTS + yaml);
        servers = new NfsServers(bench.parts().clock(), ServerListener.NOBODY);
        prober = new Prober(LookoutBench.NODE, servers, new FakeLook(), running::contains, bench.parts());
        ServerVolumes volumes = new ServerVolumes();
        watch = new ServerWatch(LookoutBench.NODE, servers, this::knock, volumes, prober, bench.parts());
        servers.listen(watch);
        bench.start(() -> new HealthWatch(LookoutBench.NODE, prober, volumes));
        bench.did();
    }

    private void knock(VolumeSpec volume) {
        knocked.add(volume);
        if (back) {
            servers.observed("nas", Health.FINE);
        }
    }

    private final class FakeLook implements Prober.Look {
        @Override
        public Health probe(Path target) {
            probed.add(target.toString());
            return mounts.getOrDefault(target, Health.FINE);
        }

        @Override
        public MountTable table() {
            return MountTable.parse(table);
        }
    }

    private List<String> probed() {
        List<String> since = List.copyOf(probed);
        probed.clear();
        return since;
    }

    private ObjectNode mount() {
        return (ObjectNode) bench.tree(VOLUME).at("/status/mounts/0");
    }

    private static void seconds(LookoutBench bench, long seconds) {
        bench.pass(Duration.ofSeconds(seconds));
    }

    @Test
    void looksEveryHalfMinuteAtNfsOnlyAndWritesNothingWhileAllIsWell() {
        begin(nfs("data", "nas", "/p") + claim("disk") + local("disk", "/q"));
        seconds(bench, 60);
        assertThat(probed()).containsExactly("/p", "/p", "/p");
        assertThat(bench.did()).isEmpty();
        assertThat(bench.told()).isEmpty();
    }

    @Test
    void aStaleMountIsToldOnceToAllItConcernsAndAgainWhenItIsWell() {
        running.add("uid-pod");
        begin(nfs("data", "nas", "/p"));
        mounts.put(Path.of("/p"), STALE);
        seconds(bench, 90);

        assertThat(bench.did()).containsExactly("VolumeUnhealthy " + VOLUME);
        assertThat(mount().path("health").toString())
                .isEqualTo("{\"reason\":\"StaleHandle\",\"message\":\"the file handle is stale\","
                        + "\"since\":\"2026-01-01T00:00:30Z\"}");
        assertThat(mount().path("state").asText()).isEqualTo("Mounted");
        String words = " x1: Volume v: the file handle is stale";
        assertThat(bench.told())
                .containsExactly(
                        "Warning VolumeConditionAbnormal PersistentVolume/data" + words,
                        "Warning VolumeConditionAbnormal PersistentVolumeClaim/data" + words,
                        "Warning VolumeConditionAbnormal Pod/pod" + words);

        mounts.clear();
        seconds(bench, 90);
        assertThat(bench.did()).containsExactly("VolumeHealthy " + VOLUME);
        assertThat(mount().has("health")).isFalse();
        assertThat(bench.told())
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
    void aStaleMountThatNothingUsesIsMadeUncertainSoThatItIsMountedAgain() {
        begin(nfs("data", "nas", "/p"));
        mounts.put(Path.of("/p"), STALE);
        seconds(bench, 30);

        assertThat(mount().path("state").asText()).isEqualTo("Uncertain");
        assertThat(bench.tree(VOLUME).at("/status/state").asText()).isEqualTo("Uncertain");
        seconds(bench, 60);
        assertThat(bench.did()).containsExactly("VolumeUnhealthy " + VOLUME);

        // What the reconciler does.
        mounts.clear();
        bench.change(VOLUME, volume -> {
            ObjectNode mount = (ObjectNode) volume.at("/status/mounts/0");
            mount.put("state", "Mounted").remove("health");
        });
        seconds(bench, 60);
        assertThat(bench.told()).anyMatch(each -> each.startsWith("Normal VolumeConditionNormal Pod/pod x1"));
    }

    @Test
    void aContainerThatThePodSaysIsRunningKeepsAStaleMountUntilItEnds() {
        begin(nfs("data", "nas", "/p"));
        bench.change(
                "pods/ns/pod",
                pod -> pod.putObject("status")
                        .putArray("containerStatuses")
                        .addObject()
                        .putObject("state")
                        .putObject("running"));
        mounts.put(Path.of("/p"), STALE);
        seconds(bench, 60);
        assertThat(mount().path("state").asText()).isEqualTo("Mounted");
        assertThat(bench.did()).containsExactly("VolumeUnhealthy " + VOLUME);

        bench.change("pods/ns/pod", pod -> pod.remove("status"));
        seconds(bench, 30);
        assertThat(mount().path("state").asText()).isEqualTo("Uncertain");
        assertThat(bench.told()).hasSize(3).allMatch(each -> each.contains(" x1: "));
    }

    @Test
    void aMountThatSomebodyTookAwayIsMadeUncertain() {
        running.add("uid-pod");
        begin(nfs("data", "nas", "/p"));
        mounts.put(Path.of("/p"), BROKEN);
        seconds(bench, 30);
        assertThat(mount().at("/health/reason").asText()).isEqualTo("IoError");
        assertThat(mount().path("state").asText()).isEqualTo("Uncertain");
    }

    @Test
    void aMountThatOnlyAnswersWithErrorsStays() {
        begin(nfs("data", "nas", "/p"));
        table += "2 1 0:9 / /p rw - nfs4 nas:/x rw\n";
        mounts.put(Path.of("/p"), BROKEN);
        seconds(bench, 30);
        assertThat(mount().at("/health/reason").asText()).isEqualTo("IoError");
        assertThat(mount().path("state").asText()).isEqualTo("Mounted");
    }

    @Test
    void aServerThatIsSilentIsGivenUpKnockedAtAndGreetedWhenItIsBack() {
        begin(nfs("data", "NAS", "/p")
                + nfs("waits", "nas", "/q")
                        .replace(
                                "state: Mounted}",
                                "state: Failed, attempts: 7, nextTry: '2026-01-01T01:00:00Z',"
                                        + " lastError: {operation: volume_mount}}"));
        mounts.put(Path.of("/p"), SILENT);
        seconds(bench, 90);

        assertThat(watch.up()).containsExactly(Map.entry("nas", false));
        assertThat(mount().at("/health/reason").asText()).isEqualTo("ServerUnreachable");
        assertThat(bench.told())
                .contains("Warning NFSServerUnreachable Node/n1 x1: NFS server nas has not answered since"
                        + " 2026-01-01T00:00:30Z (3 times; the last time: the server did not answer). Its volumes wait;"
                        + " it is asked again at 2026-01-01T00:01:35Z");
        probed();

        seconds(bench, 60);
        assertThat(probed()).isEmpty();
        assertThat(knocked.size()).isBetween(10, 12);
        assertThat(knocked.get(0).source().at("/nfs/server").asText()).isEqualTo("NAS");
        assertThat(knocked.get(0).mountOptions()).containsExactly("port=2050");
        assertThat(bench.told().stream().filter(each -> each.contains("Node/n1")))
                .hasSize(1);
        bench.did();

        back = true;
        mounts.clear();
        seconds(bench, 7);
        assertThat(bench.did())
                .containsExactlyInAnyOrder(
                        "VolumeHealthy " + VOLUME, "VolumeRetryAdvanced actualvolumes.mooring.dev/waits.x");
        ObjectNode waits =
                (ObjectNode) bench.tree("actualvolumes.mooring.dev/waits.x").at("/status/mounts/0");
        assertThat(waits.has("nextTry") || waits.has("attempts")).isFalse();
        assertThat(waits.has("lastError")).isTrue();
        assertThat(watch.up()).containsExactly(Map.entry("nas", true));
        assertThat(bench.told())
                .anyMatch(each -> each.matches("Normal NFSServerReachable Node/n1 x1: NFS server nas answers again,"
                        + " after 12[0-9] s; volumes that waited for it are tried now: 1"))
                .anyMatch(each -> each.startsWith("Normal VolumeConditionNormal Pod/pod"));
        knocked.clear();
        seconds(bench, 120);
        assertThat(knocked).isEmpty();
    }

    @Test
    void theVolumesOfAServerThatIsGivenUpSaySoAtOnce() {
        begin(nfs("data", "nas", "/p") + claim("b") + nfs("b", "NAS", "/q") + claim("c") + nfs("c", "san", "/r"));
        seconds(bench, 1);
        probed();
        bench.did();
        // As mounts of other Pods do.
        for (int i = 0; i < 3; i++) {
            servers.observed("nas", SILENT);
        }
        bench.settle();

        assertThat(bench.did())
                .containsExactlyInAnyOrder(
                        "VolumeUnhealthy " + VOLUME, "VolumeUnhealthy actualvolumes.mooring.dev/b.x");
        assertThat(probed()).isEmpty();
        assertThat(mount().at("/health/reason").asText()).isEqualTo("ServerUnreachable");
        assertThat(bench.told()).anyMatch(each -> each.startsWith("Warning VolumeConditionAbnormal Pod/pod"));
        seconds(bench, 120);
        assertThat(bench.did()).isEmpty();
    }

    @Test
    void nobodyKnocksForVolumesThatAreGone() {
        begin(nfs("data", "nas", "/p"));
        for (int i = 0; i < 3; i++) {
            servers.observed("nas", SILENT);
        }
        assertThat(servers.health("nas").state()).isEqualTo(ServerHealth.State.OPEN);
        bench.remove(VOLUME);
        seconds(bench, 120);
        assertThat(knocked).isEmpty();
        assertThat(watch.up()).isEmpty();
    }

    @Test
    void oneServerIsAskedByOneAtATime() {
        begin(nfs("data", "nas", "/p") + claim("b") + nfs("b", "nas", "/q") + claim("c") + nfs("c", "san", "/r"));
        seconds(bench, 1);
        probed();
        for (String each : List.of("data", "b", "c", "data")) {
            prober.request(ActualVolume.of(bench.world()
                    .get(ObjectKey.parse("actualvolumes.mooring.dev/" + each + ".x"))
                    .orElseThrow()));
        }
        assertThat(bench.threads).hasSize(2);
        bench.settle();
        assertThat(probed()).containsExactlyInAnyOrder("/p", "/q", "/r");
    }
}
