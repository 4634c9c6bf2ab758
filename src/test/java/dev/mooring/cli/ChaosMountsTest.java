package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.ChaosAction;
import dev.mooring.chaos.Faults;
import dev.mooring.chaos.FaultsInTests;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.volume.Access;
import dev.mooring.volume.Lane;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.nfs.NfsServers;
import dev.mooring.volume.nfs.ServerListener;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Plugins with faults around them: nothing of the real one is touched while a fault holds, and all of it otherwise. */
@Timeout(60)
class ChaosMountsTest {
    private static final Duration PATIENCE = Duration.ofMillis(30);

    private final Faults faults = new Faults(Clock.systemUTC());
    private final NfsServers servers = new NfsServers(Clock.systemUTC(), ServerListener.NOBODY);
    private final ChaosMounts mounts = new ChaosMounts(faults, servers, PATIENCE);
    private final List<String> touched = new ArrayList<>();
    private final VolumePlugin plugin = ChaosPlugin.around(new VolumePlugins(List.of(new Recording())), mounts)
            .all()
            .get(0);

    @Test
    void failsBeforeAnythingIsTouched() throws Exception {
        FaultsInTests.failNextMounts(faults, 1, "bad day");
        VolumeException failed = catchThrowableOfType(VolumeException.class, () -> setUp("nas"));
        assertThat(failed).hasMessageContaining("bad day").hasMessageContaining("on purpose");
        assertThat(failed.left()).isEqualTo(VolumeException.Left.NOTHING);
        assertThat(touched).isEmpty();

        setUp("nas");
        assertThat(touched).containsExactly("setUp");
    }

    @Test
    void aServerThatHangsIsLostPatienceWithAndRemembered() throws Exception {
        FaultsInTests.hang(faults, "nas", ChaosAction.LONGEST);
        VolumeException failed = catchThrowableOfType(VolumeException.class, () -> setUp("NAS"));
        assertThat(failed.reason()).isEqualTo("TooSlow");
        assertThat(failed.left()).isEqualTo(VolumeException.Left.PERHAPS_SOMETHING);
        assertThat(servers.health("nas").failures()).isEqualTo(1);
        assertThatThrownBy(() -> plugin.tearDown(
                        new TearDown("v", "v", "u", Path.of("/t"), VolumeMode.FILESYSTEM, "nas"), Progress.IGNORED))
                .isInstanceOf(VolumeException.class);
        assertThat(touched).isEmpty();

        setUp("other");
        assertThat(touched).containsExactly("setUp");
    }

    @Test
    void goesOnWhenTheServerAnswersAgain() throws Exception {
        FaultsInTests.hang(faults, "nas", Duration.ofMillis(5));
        setUp("nas");
        assertThat(touched).containsExactly("setUp");
        assertThat(servers.health("nas").failures()).isZero();
    }

    @Test
    void workOnDataWaitsForItsServerToo() throws Exception {
        FaultsInTests.hang(faults, "usual", ChaosAction.LONGEST);
        FaultsInTests.hang(faults, "named", ChaosAction.LONGEST);
        assertThatThrownBy(() -> mounts.awaitServer(work(StorageNames.NFS_PROVISIONER, Map.of()), "usual"))
                .isInstanceOf(VolumeWorkException.class)
                .hasMessageContaining("server usual does not answer");
        assertThatThrownBy(() ->
                        mounts.awaitServer(work(StorageNames.NFS_PROVISIONER, Map.of("server", "named")), "somewhere"))
                .hasMessageContaining("server named does not answer");
        mounts.awaitServer(work("mooring.dev/hostpath", Map.of()), "usual");
    }

    private void setUp(String server) throws VolumeException, InterruptedException {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("nfs").put("server", server).put("path", "/x");
        plugin.setUp(
                new SetUp(
                        new VolumeSpec("v", "v", source, VolumeMode.FILESYSTEM, List.of(), 0),
                        new PodIdentity("default", "p", "u"),
                        Path.of("/t"),
                        Access.READ_WRITE,
                        Optional.empty(),
                        Optional.empty(),
                        JsonNodeFactory.instance.objectNode()),
                Progress.IGNORED);
    }

    private static VolumeWork work(String provisioner, Map<String, String> parameters) {
        return new VolumeWork(
                VolumeOperation.Work.PROVISION,
                provisioner,
                "pv",
                "uid",
                "path",
                Optional.empty(),
                VolumeMode.FILESYSTEM,
                1,
                parameters);
    }

    /** Says what was done with it. */
    private final class Recording implements VolumePlugin {
        @Override
        public String name() {
            return "test/recording";
        }

        @Override
        public boolean supports(JsonNode source) {
            return true;
        }

        @Override
        public Lane lane(VolumeSpec volume) {
            return Lane.nfs("nas");
        }

        @Override
        public SetUpDone setUp(SetUp what, Progress progress) {
            touched.add("setUp");
            return SetUpDone.at(what.target());
        }

        @Override
        public void tearDown(TearDown what, Progress progress) {
            touched.add("tearDown");
        }
    }
}
