package dev.mooring.volume.nfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
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

@Timeout(30)
class PreFlightTest {
    private static final Duration PATIENCE = Duration.ofMillis(400);

    private static final NameLookup HERE = new NameLookup(name -> new InetAddress[] {InetAddress.getLoopbackAddress()});

    private static NfsVolume volume(String... options) throws VolumeException {
        return NfsVolume.of(NfsBench.volume("nas", "/x", options), Access.READ_WRITE);
    }

    private static PreFlight preFlight(NameLookup names, int nfs, int rpcbind) {
        return new PreFlight(names, PATIENCE, new PreFlight.Ports(nfs, rpcbind));
    }

    private static VolumeException failure(PreFlight preFlight, String... options) {
        VolumeException e = catchThrowableOfType(VolumeException.class, () -> preFlight.check(volume(options)));
        assertThat(e.left()).isEqualTo(Left.NOTHING);
        return e;
    }

    @Test
    void passesWhereSomebodyListens() throws IOException {
        try (LocalServer server = LocalServer.accepting()) {
            PreFlight preFlight = preFlight(HERE, server.port(), LocalServer.closedPort());

            assertThatCode(() -> preFlight.check(volume())).doesNotThrowAnyException();
        }
    }

    @Test
    void tellsARefusalAtOnce() throws IOException {
        int port = LocalServer.closedPort();

        VolumeException e = failure(preFlight(HERE, port, port));

        assertThat(e.reason()).isEqualTo("ServerRefused");
        assertThat(e).hasMessageStartingWith("server nas refused the connection on port " + port + ": ");
    }

    @Test
    void waitsForASilentServerNoLongerThanItsPatience() throws IOException {
        try (LocalServer server = LocalServer.silent()) {
            VolumeException e = failure(preFlight(HERE, server.port(), server.port()));

            assertThat(e.reason()).isEqualTo("ServerUnreachable");
            assertThat(e)
                    .hasMessageContaining(
                            "server nas cannot be reached on port " + server.port() + " (no answer within 400 ms): ");
        }
    }

    @Test
    void knocksAtThePortThatAnOptionNames() throws IOException {
        try (LocalServer server = LocalServer.accepting()) {
            PreFlight preFlight = preFlight(HERE, server.port(), server.port());
            int closed = LocalServer.closedPort();

            assertThat(failure(preFlight, "port=" + closed)).hasMessageContaining("on port " + closed);
            assertThatCode(() -> preFlight.check(volume("port=0"))).doesNotThrowAnyException();
        }
    }

    @Test
    void asksForRpcbindWithVersionThree() throws IOException {
        try (LocalServer server = LocalServer.accepting()) {
            int closed = LocalServer.closedPort();
            PreFlight preFlight = preFlight(HERE, server.port(), closed);

            VolumeException e = failure(preFlight, "vers=3");

            assertThat(e.reason()).isEqualTo("ServerRefused");
            assertThat(e).hasMessageContaining("on port " + closed).hasMessageContaining("needs rpcbind");
            assertThatCode(() -> preFlight.check(volume("vers=3", "mountport=20048")))
                    .doesNotThrowAnyException();
            assertThatCode(() -> preFlight.check(volume("vers=3", "mountproto=udp")))
                    .doesNotThrowAnyException();
            assertThatCode(() -> preFlight.check(volume("vers=4.1"))).doesNotThrowAnyException();
        }
    }

    @Test
    void leavesItToRpcbindToKnowThePortOfVersionThree() throws IOException {
        try (LocalServer rpcbind = LocalServer.accepting()) {
            int closed = LocalServer.closedPort();
            PreFlight preFlight = preFlight(HERE, closed, rpcbind.port());

            assertThatCode(() -> preFlight.check(volume("vers=3"))).doesNotThrowAnyException();
            assertThat(failure(preFlight, "vers=3", "port=" + closed).reason()).isEqualTo("ServerRefused");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"proto=udp", "udp", "proto=rdma", "rdma"})
    void cannotKnockWhereNoConnectionsAreMade(String option) throws IOException {
        int closed = LocalServer.closedPort();

        assertThatCode(() -> preFlight(HERE, closed, closed).check(volume(option)))
                .doesNotThrowAnyException();
    }

    @Test
    void oneAddressThatAnswersIsEnough() throws IOException {
        try (LocalServer server = LocalServer.accepting()) {
            NameLookup two = new NameLookup(name -> new InetAddress[] {
                InetAddress.getByAddress(new byte[] {127, 0, 0, 77}),
                InetAddress.getByAddress(new byte[] {127, 0, 0, 1})
            });

            assertThatCode(() -> preFlight(two, server.port(), server.port()).check(volume()))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void saysWhenTheServerHasNoAddressForTheProtocol() throws IOException {
        VolumeException e = failure(preFlight(HERE, 1, 1), "proto=tcp6");

        assertThat(e.reason()).isEqualTo("UnknownHost");
        assertThat(e).hasMessageContaining("no address for the mount option proto=tcp6");
    }

    @Test
    void saysWhenNobodyKnowsTheServer() {
        NameLookup nobody = new NameLookup(name -> {
            throw new UnknownHostException(name);
        });

        VolumeException e = failure(preFlight(nobody, 1, 1));

        assertThat(e.reason()).isEqualTo("UnknownHost");
        assertThat(e).hasMessageContaining("server nas is unknown: no address is known for it");
    }

    @Test
    void aNameServiceThatHangsHoldsOneThreadPerNameAndNobodyForLong() throws InterruptedException {
        CountDownLatch hang = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        AtomicInteger lookups = new AtomicInteger();
        NameLookup names = new NameLookup(name -> {
            lookups.incrementAndGet();
            try {
                hang.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            done.countDown();
            return new InetAddress[] {InetAddress.getLoopbackAddress()};
        });
        PreFlight preFlight = preFlight(names, 1, 1);

        assertThat(failure(preFlight)).hasMessageContaining("the name service did not answer within 400 ms");
        assertThat(failure(preFlight).reason()).isEqualTo("UnknownHost");
        assertThat(lookups).hasValue(1);

        hang.countDown();
        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aNameServiceThatHangsForManyNamesIsNotAskedForMore() throws InterruptedException {
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
                    .hasMessageContaining("did not answer");
        }

        assertThat(catchThrowableOfType(
                        NameLookup.LookupException.class, () -> names.lookUp("one-more", Duration.ofSeconds(20))))
                .hasMessageContaining("not answering for 32 other servers");
        hang.countDown();
    }

    @Test
    void addressesAreNotLookedUp() throws Exception {
        NameLookup machine = new NameLookup(InetAddress::getAllByName);

        assertThat(machine.lookUp("::1", Duration.ofSeconds(20))).hasSize(1);
        assertThat(machine.lookUp("127.0.0.1", Duration.ofSeconds(20)))
                .containsExactly(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    }
}
