package dev.mooring.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.ChaosAction;
import dev.mooring.chaos.Faults;
import dev.mooring.chaos.FaultsFixture;
import dev.mooring.model.view.NfsSource;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.volume.Access;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.ServerListener;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
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

/** Tests of plugins wrapped with injected faults: the wrapped plugin is called only while no fault applies. */
@Timeout(60)
class ChaosVolumeFaultsTest {
    private static final Duration TIMEOUT = Duration.ofMillis(30);

    private final Faults faults = new Faults(Clock.systemUTC());
    private final RemoteServers servers = new RemoteServers(Clock.systemUTC(), ServerListener.NO_OP);
    private final ChaosVolumeFaults mounts = new ChaosVolumeFaults(faults, List.of(servers), TIMEOUT);
    private final List<String> calls = new ArrayList<>();
    private final VolumePlugin plugin = ChaosPlugin.around(new VolumePlugins(List.of(new RecordingPlugin())), mounts)
            .all()
            .get(0);

    @Test
    void setUp_nextMountArmedToFail_failsWithoutCallingThePlugin() throws Exception {
        FaultsFixture.failNextMounts(faults, 1, "bad day");
        VolumeException failed = catchThrowableOfType(VolumeException.class, () -> setUp("nas"));
        assertThat(failed).hasMessageContaining("bad day").hasMessageContaining("on purpose");
        assertThat(failed.failureState()).isEqualTo(VolumeException.FailureState.CLEAN);
        assertThat(calls).isEmpty();

        setUp("nas");
        assertThat(calls).containsExactly("setUp");
    }

    @Test
    void setUpAndTearDown_hangingServer_timeOutAndCountAsServerFailure() throws Exception {
        FaultsFixture.hang(faults, "nas", ChaosAction.MAX_DURATION);
        VolumeException failed = catchThrowableOfType(VolumeException.class, () -> setUp("NAS"));
        assertThat(failed.reason()).isEqualTo("TooSlow");
        assertThat(failed.failureState()).isEqualTo(VolumeException.FailureState.UNCERTAIN);
        assertThat(servers.health("nas").failures()).isEqualTo(1);
        assertThatThrownBy(() -> plugin.tearDown(
                        new TearDownRequest("v", "v", "u", Path.of("/t"), VolumeMode.FILESYSTEM, "nas"),
                        OperationProgress.NO_OP))
                .isInstanceOf(VolumeException.class);
        assertThat(calls).isEmpty();

        setUp("other");
        assertThat(calls).containsExactly("setUp");
    }

    @Test
    void setUp_serverResponsiveBeforeTimeout_callsThePlugin() throws Exception {
        FaultsFixture.hang(faults, "nas", Duration.ofMillis(5));
        setUp("nas");
        assertThat(calls).containsExactly("setUp");
        assertThat(servers.health("nas").failures()).isZero();
    }

    @Test
    void awaitServer_hangingServer_failsVolumeWorkOfThatServerOnly() throws Exception {
        FaultsFixture.hang(faults, "usual", ChaosAction.MAX_DURATION);
        FaultsFixture.hang(faults, "named", ChaosAction.MAX_DURATION);
        assertThatThrownBy(() -> mounts.awaitServer(work(NfsSource.PROVISIONER, Map.of()), "usual"))
                .isInstanceOf(VolumeWorkException.class)
                .hasMessageContaining("server usual does not answer");
        assertThatThrownBy(
                        () -> mounts.awaitServer(work(NfsSource.PROVISIONER, Map.of("server", "named")), "somewhere"))
                .hasMessageContaining("server named does not answer");
        mounts.awaitServer(work("mooring.dev/hostpath", Map.of()), "usual");
    }

    private void setUp(String server) throws VolumeException, InterruptedException {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("nfs").put("server", server).put("path", "/x");
        plugin.setUp(
                new SetUpRequest(
                        new VolumeSpec("v", "v", source, VolumeMode.FILESYSTEM, List.of(), 0),
                        new PodIdentity("default", "p", "u"),
                        Path.of("/t"),
                        Access.READ_WRITE,
                        Optional.empty(),
                        Optional.empty(),
                        JsonNodeFactory.instance.objectNode()),
                OperationProgress.NO_OP);
    }

    private static VolumeWork work(String provisioner, Map<String, String> parameters) {
        return new VolumeWork(
                VolumeOperation.OperationType.PROVISION,
                provisioner,
                "pv",
                "uid",
                "path",
                Optional.empty(),
                VolumeMode.FILESYSTEM,
                1,
                parameters,
                Optional.empty());
    }

    /** A plugin that records its calls. */
    private final class RecordingPlugin implements VolumePlugin {
        @Override
        public String name() {
            return "test/recording";
        }

        @Override
        public boolean supports(JsonNode source) {
            return true;
        }

        @Override
        public WorkerPoolKey workerPool(VolumeSpec volume) {
            return WorkerPoolKey.server("nas");
        }

        @Override
        public SetUpResult setUp(SetUpRequest request, OperationProgress progress) {
            calls.add("setUp");
            return SetUpResult.at(request.target());
        }

        @Override
        public void tearDown(TearDownRequest request, OperationProgress progress) {
            calls.add("tearDown");
        }
    }
}
