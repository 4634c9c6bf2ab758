package dev.mooring.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A server with controllers, and a client that creates volumes and claims and watches them. For one thread. */
final class BindFixture implements AutoCloseable {
    private static final int CONNECTIONS = 32;
    private static final long DEADLINE_SECONDS = 120;

    /** Smaller numbers belong to the load. */
    private static final int FIRST_OF_SEQUENCES = 5_000_000;

    /** Objects created at the same time, in this order. */
    enum Order {
        CLAIM_ALONE("a claim, its PV is there"),
        VOLUME_FIRST("a PV and its claim at once"),
        CLAIM_FIRST("a claim and its PV at once");

        final String text;

        Order(String text) {
            this.text = text;
        }
    }

    /**
     * Result of claims created at once.
     *
     * @param seconds from the first request until the last claim was seen Bound
     * @param created seconds until the last creation was answered
     * @param serverCpu processor time of the server per claim, in seconds
     */
    record Burst(int count, double seconds, double created, double serverCpu, double ownCpu) {
        double perSecond() {
            return count / seconds;
        }
    }

    private final ApiServer server;
    private final ApiClients clients;
    private final ApiLoad load;
    private final PhaseWatch available;
    private final PhaseWatch bound;
    private final RequestTemplate volume;
    private final RequestTemplate claim;
    private int number = FIRST_OF_SEQUENCES;

    BindFixture(ApiServer server, ApiClients clients) throws IOException, InterruptedException {
        this.server = server;
        this.clients = clients;
        this.load = new ApiLoad(server, clients, CONNECTIONS);
        BindObjects objects = new BindObjects(server.access(), "new");
        this.volume = objects.volume();
        this.claim = objects.claim();
        load.run(connection -> objects.namespace(), 1);
        this.available = objects.watchVolumes(clients, server.port(), "Available");
        this.bound = objects.watchClaims(clients, server.port(), "Bound");
    }

    /** Creates unbound volumes; returns when they are Available. */
    void offer(int count) throws IOException, InterruptedException {
        available.expect(count);
        load.run(connection -> volume, count);
        available.await();
    }

    /** Creates volumes and, when they are Available, as many claims at once. */
    Burst burst(int count) throws IOException, InterruptedException {
        offer(count);
        bound.expect(count);
        long cpu = server.cpuNanos();
        Stopwatch watch = new Stopwatch();
        long start = System.nanoTime();
        double created = load.run(connection -> claim, count).seconds();
        double seconds = (bound.await() - start) / 1e9;
        double ownCpu = watch.cpuSeconds() / count;
        return new Burst(count, seconds, created, (server.cpuNanos() - cpu) / 1e9 / count, ownCpu);
    }

    /**
     * Creates objects one after another.
     *
     * @return seconds from the first request of each until the claim was seen Bound
     */
    Measurements oneByOne(Order order, int count) throws IOException, InterruptedException {
        List<RequestTemplate> requests = switch (order) {
            case CLAIM_ALONE -> List.of(claim);
            case VOLUME_FIRST -> List.of(volume, claim);
            case CLAIM_FIRST -> List.of(claim, volume);
        };
        if (order == Order.CLAIM_ALONE) {
            offer(count);
        }
        Sequence sequence = new Sequence(requests, count);
        clients.loop().execute(sequence::begin);
        return sequence.await();
    }

    ApiServer server() {
        return server;
    }

    /** Returns the number of volumes and claims created so far, without the background load. */
    long objects() {
        return load.sent() + 2L * (number - FIRST_OF_SEQUENCES);
    }

    @Override
    public void close() {
        available.close();
        bound.close();
        load.close();
    }

    /**
     * Creates the next objects when the previous ones were answered and seen. For the event loop, except {@link
     * #await}.
     */
    private final class Sequence implements ApiConnection.Listener {
        private final List<RequestTemplate> requests;
        private final List<ApiConnection> connections = new ArrayList<>();
        private final Measurements seconds = new Measurements();
        private final CountDownLatch ended = new CountDownLatch(1);
        private int left;
        private int missing;
        private long current;
        private long start;
        private volatile Throwable failure;

        Sequence(List<RequestTemplate> requests, int count) throws InterruptedException {
            this.requests = requests;
            this.left = count;
            for (int i = 0; i < requests.size(); i++) {
                connections.add(ApiConnection.open(clients, server.port()));
            }
        }

        void begin() {
            bound.listen(this::onBound);
            next();
        }

        private void next() {
            if (left == 0 || failure != null) {
                bound.listen(other -> {});
                connections.forEach(ApiConnection::close);
                ended.countDown();
                return;
            }
            left--;
            current = number++;
            missing = requests.size() + 1;
            start = System.nanoTime();
            for (int i = 0; i < requests.size(); i++) {
                connections.get(i).send(requests.get(i), current, this);
            }
        }

        private void onBound(long boundNumber) {
            if (boundNumber == current) {
                seconds.add((System.nanoTime() - start) / 1e9);
                arrived();
            }
        }

        private void arrived() {
            missing--;
            if (missing == 0) {
                clients.loop().execute(this::next);
            }
        }

        @Override
        public void answered(ApiConnection.ApiResponse answer) {
            if (!answer.isSuccess()) {
                failed(new IllegalStateException("answered " + answer.code() + ": " + answer.refusal()));
            }
            arrived();
        }

        @Override
        public void failed(Throwable cause) {
            failure = cause;
            ended.countDown();
        }

        Measurements await() throws InterruptedException {
            boolean whole = ended.await(DEADLINE_SECONDS, TimeUnit.SECONDS);
            if (!whole || failure != null) {
                throw new IllegalStateException(left + " claims were not Bound", failure);
            }
            return seconds;
        }
    }
}
