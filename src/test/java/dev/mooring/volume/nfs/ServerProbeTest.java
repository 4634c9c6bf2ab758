package dev.mooring.volume.nfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class ServerProbeTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** Timeout of a test that waits for it; a busy machine looks up a name within it. */
    private static final Duration SHORT = Duration.ofMillis(1500);

    private static final NameLookup LOOPBACK =
            new NameLookup(name -> new InetAddress[] {InetAddress.getLoopbackAddress()});

    private static NfsVolume volume(String... options) throws VolumeException {
        return NfsVolume.of(NfsPluginFixture.volume("nas", "/x", options), Access.READ_WRITE);
    }

    private static ServerProbe serverProbe(NameLookup names, int nfs, int rpcbind) {
        return serverProbe(names, TIMEOUT, nfs, rpcbind);
    }

    private static ServerProbe serverProbe(NameLookup names, Duration timeout, int nfs, int rpcbind) {
        return new ServerProbe(names, timeout, new ServerProbe.NfsPorts(nfs, rpcbind));
    }

    private static VolumeException failure(ServerProbe probe, String... options) {
        VolumeException e = catchThrowableOfType(VolumeException.class, () -> probe.check(volume(options)));
        assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
        return e;
    }

    @Test
    void check_portOpen_succeeds() throws IOException {
        try (FakeNfsPort server = FakeNfsPort.accepting();
                FakeNfsPort closed = FakeNfsPort.refusing()) {
            ServerProbe probe = serverProbe(LOOPBACK, server.port(), closed.port());

            assertThatCode(() -> probe.check(volume())).doesNotThrowAnyException();
        }
    }

    @Test
    void check_connectionRefused_fails() throws IOException {
        try (FakeNfsPort closed = FakeNfsPort.refusing()) {
            VolumeException e = failure(serverProbe(LOOPBACK, closed.port(), closed.port()));

            assertThat(e.reason()).isEqualTo("ServerRefused");
            assertThat(e).hasMessageStartingWith("server nas refused the connection on port " + closed.port() + ": ");
        }
    }

    @Test
    void check_noResponse_failsAfterTimeout() throws IOException {
        try (FakeNfsPort server = FakeNfsPort.silent()) {
            VolumeException e = failure(serverProbe(LOOPBACK, SHORT, server.port(), server.port()));

            assertThat(e.reason()).isEqualTo("ServerUnreachable");
            assertThat(e)
                    .hasMessageContaining("server nas cannot be reached on port " + server.port()
                            + " (no response within 1500 ms): ");
        }
    }

    @Test
    void check_portOption_usesThatPort() throws IOException {
        try (FakeNfsPort server = FakeNfsPort.accepting();
                FakeNfsPort closed = FakeNfsPort.refusing()) {
            ServerProbe probe = serverProbe(LOOPBACK, server.port(), server.port());

            assertThat(failure(probe, "port=" + closed.port())).hasMessageContaining("on port " + closed.port());
            assertThatCode(() -> probe.check(volume("port=0"))).doesNotThrowAnyException();
        }
    }

    @Test
    void check_version3_probesRpcbind() throws IOException {
        try (FakeNfsPort server = FakeNfsPort.accepting();
                FakeNfsPort closed = FakeNfsPort.refusing()) {
            ServerProbe probe = serverProbe(LOOPBACK, server.port(), closed.port());

            VolumeException e = failure(probe, "vers=3");

            assertThat(e.reason()).isEqualTo("ServerRefused");
            assertThat(e).hasMessageContaining("on port " + closed.port()).hasMessageContaining("needs rpcbind");
            assertThatCode(() -> probe.check(volume("vers=3", "mountport=20048")))
                    .doesNotThrowAnyException();
            assertThatCode(() -> probe.check(volume("vers=3", "mountproto=udp")))
                    .doesNotThrowAnyException();
            assertThatCode(() -> probe.check(volume("vers=4.1"))).doesNotThrowAnyException();
        }
    }

    @Test
    void check_version3WithoutPort_probesOnlyRpcbind() throws IOException {
        try (FakeNfsPort rpcbind = FakeNfsPort.accepting();
                FakeNfsPort closed = FakeNfsPort.refusing()) {
            ServerProbe probe = serverProbe(LOOPBACK, closed.port(), rpcbind.port());

            assertThatCode(() -> probe.check(volume("vers=3"))).doesNotThrowAnyException();
            assertThat(failure(probe, "vers=3", "port=" + closed.port()).reason())
                    .isEqualTo("ServerRefused");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"proto=udp", "udp", "proto=rdma", "rdma"})
    void check_protocolIsNotTcp_isSkipped(String option) throws IOException {
        try (FakeNfsPort closed = FakeNfsPort.refusing()) {
            ServerProbe probe = serverProbe(LOOPBACK, closed.port(), closed.port());

            assertThatCode(() -> probe.check(volume(option))).doesNotThrowAnyException();
        }
    }

    @Test
    void check_oneOfTwoAddressesResponds_succeeds() throws IOException {
        try (FakeNfsPort server = FakeNfsPort.accepting()) {
            NameLookup two = new NameLookup(name -> new InetAddress[] {
                InetAddress.getByAddress(new byte[] {127, 0, 0, 77}),
                InetAddress.getByAddress(new byte[] {127, 0, 0, 1})
            });

            assertThatCode(() -> serverProbe(two, server.port(), server.port()).check(volume()))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void check_noAddressOfProtocol_fails() throws IOException {
        VolumeException e = failure(serverProbe(LOOPBACK, 1, 1), "proto=tcp6");

        assertThat(e.reason()).isEqualTo("UnknownHost");
        assertThat(e).hasMessageContaining("no address for the mount option proto=tcp6");
    }

    @Test
    void check_unknownHost_fails() {
        NameLookup unknownHosts = new NameLookup(name -> {
            throw new UnknownHostException(name);
        });

        VolumeException e = failure(serverProbe(unknownHosts, 1, 1));

        assertThat(e.reason()).isEqualTo("UnknownHost");
        assertThat(e).hasMessageContaining("server nas is unknown: it has no address");
    }

    @Test
    void check_nameServiceHangs_usesOneThreadPerNameAndTimesOut() throws InterruptedException {
        CountDownLatch hang = new CountDownLatch(1);
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        AtomicInteger lookups = new AtomicInteger();
        NameLookup names = new NameLookup(name -> {
            lookups.incrementAndGet();
            started.countDown();
            try {
                hang.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            done.countDown();
            return new InetAddress[] {InetAddress.getLoopbackAddress()};
        });
        ServerProbe probe = serverProbe(names, Duration.ofMillis(400), 1, 1);

        assertThat(failure(probe)).hasMessageContaining("the name service did not respond within 400 ms");
        assertThat(failure(probe).reason()).isEqualTo("UnknownHost");
        started.await();
        assertThat(lookups).hasValue(1);

        hang.countDown();
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void lookUp_tooManyHangingLookups_failsImmediately() throws InterruptedException {
        CountDownLatch hang = new CountDownLatch(1);
        NameLookup names = new NameLookup(name -> {
            try {
                hang.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            throw new UnknownHostException(name);
        });
        for (int i = 0; i < 32; i++) {
            String name = "nas" + i;
            assertThat(catchThrowableOfType(
                            NameLookup.LookupException.class, () -> names.lookUp(name, Duration.ofMillis(1))))
                    .hasMessageContaining("did not respond");
        }

        assertThat(catchThrowableOfType(
                        NameLookup.LookupException.class, () -> names.lookUp("one-more", Duration.ofSeconds(60))))
                .hasMessageContaining("does not respond for 32 other servers");
        hang.countDown();
    }

    @Test
    void lookUp_address_isParsed() throws Exception {
        NameLookup machine = new NameLookup(InetAddress::getAllByName);

        assertThat(machine.lookUp("::1", Duration.ofSeconds(60))).hasSize(1);
        assertThat(machine.lookUp("127.0.0.1", Duration.ofSeconds(60)))
                .containsExactly(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    }
}
