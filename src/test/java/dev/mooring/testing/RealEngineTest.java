package dev.mooring.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(900)
class RealEngineTest {
    private static final String IMAGE = "/images/busybox:latest/json";

    @Test
    void ownEngine_stoppedKilledAndClosed_keepsImageAndLeavesNothing() throws IOException {
        Path directory;
        try (RealEngine engine = RealEngine.own()) {
            directory = engine.socket().getParent();
            assertThat(engine.host()).isEqualTo("unix://" + engine.socket());
            RealEngineApi api = new RealEngineApi(engine.socket());
            assertThat(api.get(IMAGE).body().at("/Config/Cmd/0").asText()).isEqualTo("sh");
            engine.stop();
            assertThat(directory.resolve("docker.sock")).doesNotExist();

            engine.start();
            assertThat(api.get(IMAGE).code()).isEqualTo(200);
            engine.kill();
            engine.start();
            assertThat(api.get(IMAGE).code()).isEqualTo(200);
        }
        assertThat(directory).doesNotExist();
        assertThat(Files.readString(Path.of("/proc/self/mountinfo"))).doesNotContain(directory.toString());
        assertThat(ProcessHandle.allProcesses()
                        .map(each -> each.info().commandLine().orElse(""))
                        .filter(each -> each.contains(directory + "/")))
                .isEmpty();
    }

    @Test
    void close_containerIgnoresSignals_killsIt() {
        // Unique among parallel runs of the suite on this machine.
        String sleep = "sleep 9" + ProcessHandle.current().pid();
        try (RealEngine engine = RealEngine.own()) {
            RealEngineApi api = new RealEngineApi(engine.socket());
            String id = api.post(
                            "/containers/create",
                            "{\"Image\":\"busybox:latest\",\"Labels\":{\"owner\":\"ours\"},"
                                    + "\"Cmd\":[\"sh\",\"-c\",\"trap : TERM; while true; do " + sleep + "; done\"]}")
                    .body()
                    .path("Id")
                    .asText();
            assertThat(api.post("/containers/" + id + "/start", "").code()).isEqualTo(204);
            assertThat(api.containers("owner=ours")).hasSize(1);
            assertThat(api.containers("owner=theirs")).isEmpty();
            engine.kill();
        }
        assertThat(ProcessHandle.allProcesses()
                        .map(each -> each.info().commandLine().orElse(""))
                        .filter(each -> each.contains(sleep)))
                .isEmpty();
    }

    @Test
    void shared_calledTwice_returnsSameEngine() {
        assertThat(RealEngine.shared()).isSameAs(RealEngine.shared());
        assertThat(RealEngine.shared().socket()).exists();
    }
}
