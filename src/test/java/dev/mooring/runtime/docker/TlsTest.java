package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.runtime.ContainerStreams.ExecRequest;
import dev.mooring.runtime.ContainerStreams.Session;
import dev.mooring.runtime.ContainerStreams.StreamSelection;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.testing.RealEngine;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of streams to an engine over TCP, with and without TLS. */
@Timeout(300)
class TlsTest {
    private static final StreamSelection INPUT = new StreamSelection(true, true, true, false);

    @TempDir
    static Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", ""})
    void exec_overTcpAndTls_transfersBothWays(String protocol) throws Exception {
        String engine = RealEngine.shared().host();
        Optional<TestKeys> keys = protocol.isEmpty()
                ? Optional.empty()
                : Optional.of(TestKeys.in(directory.resolve(protocol), "ip:127.0.0.1"));
        CollectingSink collected = new CollectingSink();
        byte[] data = new byte[8 << 20];
        new Random(7).nextBytes(data);
        try (EngineFixture containers = new EngineFixture(engine);
                TcpForwarder forwarder = new TcpForwarder(RealEngine.shared().socket(), keys, protocol);
                DockerStreams streams = new DockerStreams(forwarder.host(), keys.map(TestKeys::directory))) {
            String id = containers.running("sleep 1000");

            try (Session session = streams.exec(id, new ExecRequest(List.of("cat"), INPUT), collected)) {
                for (int at = 0; at < data.length; at += 1 << 16) {
                    session.writeInput(Arrays.copyOfRange(data, at, at + (1 << 16)));
                }
                session.closeInput();
                assertThat(CollectingSink.codeOf(session)).isZero();
            }
            assertThat(collected.bytes()).isEqualTo(data);

            ExecRequest notReading = new ExecRequest(List.of("sleep", "1000"), INPUT);
            Session stuck = streams.exec(id, notReading, collected);
            CountDownLatch begun = new CountDownLatch(1);
            Thread writer = new Thread(() -> {
                begun.countDown();
                assertThatThrownBy(() -> stuck.writeInput(new byte[64 << 20])).isInstanceOf(EngineException.class);
            });
            writer.start();
            begun.await();
            stuck.close();
            writer.join();
        }
        CollectingSink.awaitNoThreads("mooring-stream-");
    }

    @Test
    void attach_certificateOfAnotherHost_isRejected() throws Exception {
        TestKeys keys = TestKeys.in(directory.resolve("other"), "dns:other.example");
        try (TcpForwarder forwarder = new TcpForwarder(RealEngine.shared().socket(), Optional.of(keys), "TLSv1.3");
                DockerStreams streams = new DockerStreams(forwarder.host(), Optional.of(keys.directory()))) {
            assertThatThrownBy(() -> streams.attach("c1", INPUT, new CollectingSink()))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                    .hasMessageContaining("127.0.0.1");
        }
    }

    @Test
    void streams_directoryWithoutKeys_areRejected() {
        assertThatThrownBy(() -> new DockerStreams("tcp://localhost:1", Optional.of(directory)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot read ca.pem");
    }
}
