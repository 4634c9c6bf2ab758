package dev.mooring.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * So many connections to one server, each of which sends a request, waits for the answer, and sends the next. Used from one thread; the
 * connections live on the event loop of their clients.
 */
final class ApiLoad implements AutoCloseable {
    private static final long ANSWER_DEADLINE_SECONDS = 120;

    /**
     * What was seen.
     *
     * @param p50 of the seconds until the answer was whole
     * @param serverCpu seconds of processor time that the server used, all together
     * @param ownCpu the same of this process, the generator of the load
     */
    record Result(int operations, long bytes, double seconds, double p50, double p99, double serverCpu, double ownCpu) {
        double perSecond() {
            return operations() / seconds;
        }

        /** Processor time of the server, each. */
        double serverCpuEach() {
            return serverCpu / operations();
        }

        /** Processor time of the generator, each. */
        double ownCpuEach() {
            return ownCpu / operations();
        }
    }

    /** Which request a connection sends next. */
    interface Requests {
        ApiRequest of(int connection);
    }

    private final ApiTarget server;
    private final ApiClients clients;
    private final List<ApiConnection> connections = new ArrayList<>();
    private long number;

    ApiLoad(ApiTarget server, ApiClients clients, int count) throws InterruptedException {
        this.server = server;
        this.clients = clients;
        for (int i = 0; i < count; i++) {
            connections.add(ApiConnection.open(clients, server.port()));
        }
    }

    /** How many requests have been sent, which is the number the next one gets. */
    long sent() {
        return number;
    }

    /** For a time; the number of each request is its place in the sequence. */
    Result run(Requests requests, Duration time) throws IOException, InterruptedException {
        return run(requests, time, Long.MAX_VALUE);
    }

    /** For a time, with numbers below {@code distinct} only. */
    Result run(Requests requests, Duration time, long distinct) throws IOException, InterruptedException {
        return inTurns(new Sending(requests, distinct), System.nanoTime() + time.toNanos(), Long.MAX_VALUE);
    }

    /** So many of them, as fast as they are answered. */
    Result run(Requests requests, long count) throws IOException, InterruptedException {
        return inTurns(new Sending(requests, Long.MAX_VALUE), Long.MAX_VALUE, count);
    }

    private Result inTurns(Sending sending, long deadline, long count) throws IOException, InterruptedException {
        CountDownLatch ended = new CountDownLatch(connections.size());
        Turns turns = new Turns(sending, deadline, count, ended);
        return measured(
                sending,
                ended,
                () -> clients.loop().execute(() -> {
                    for (int i = 0; i < connections.size(); i++) {
                        turns.next(i);
                    }
                }));
    }

    /** One request each {@code pace}, whether the ones before are answered or not. */
    Result paced(Requests requests, int count, Duration pace) throws IOException, InterruptedException {
        CountDownLatch ended = new CountDownLatch(count);
        Sending sending = new Sending(requests, Long.MAX_VALUE);
        return measured(sending, ended, () -> {
            long due = System.nanoTime();
            for (int i = 0; i < count; i++) {
                int connection = i % connections.size();
                clients.loop().execute(() -> sending.send(connection, ended::countDown));
                due += pace.toNanos();
                TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
            }
        });
    }

    private Result measured(Sending sending, CountDownLatch ended, Work work) throws IOException, InterruptedException {
        long serverCpu = server.cpuNanos();
        Stopwatch watch = new Stopwatch();
        work.run();
        boolean whole = ended.await(ANSWER_DEADLINE_SECONDS, TimeUnit.SECONDS);
        double seconds = watch.seconds();
        double ownCpu = watch.cpuSeconds();
        double used = (server.cpuNanos() - serverCpu) / 1e9;
        if (!whole || sending.failure.get() != null) {
            throw new IllegalStateException("Expected every request to be answered well", sending.failure.get());
        }
        long[] sorted = Arrays.copyOf(sending.latencies, sending.count);
        Arrays.sort(sorted);
        return new Result(
                sorted.length,
                sending.bytes,
                seconds,
                sorted[sorted.length / 2] / 1e9,
                sorted[(int) (sorted.length * 0.99)] / 1e9,
                used,
                ownCpu);
    }

    @Override
    public void close() {
        clients.loop().execute(() -> connections.forEach(ApiConnection::close));
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    /** Each connection goes on when it is answered. */
    private static final class Turns {
        private final Sending sending;
        private final long deadline;
        private final CountDownLatch ended;
        private long left;

        Turns(Sending sending, long deadline, long count, CountDownLatch ended) {
            this.sending = sending;
            this.deadline = deadline;
            this.left = count;
            this.ended = ended;
        }

        void next(int connection) {
            if (left > 0 && sending.failure.get() == null && System.nanoTime() < deadline) {
                left--;
                sending.send(connection, () -> next(connection));
            } else {
                ended.countDown();
            }
        }
    }

    private final class Sending {
        private final Requests requests;
        private final long distinct;
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private long bytes;
        private long[] latencies = new long[1024];
        private int count;

        Sending(Requests requests, long distinct) {
            this.requests = requests;
            this.distinct = distinct;
        }

        void send(int connection, Runnable then) {
            long start = System.nanoTime();
            long mine = number++ % distinct;
            connections.get(connection).send(requests.of(connection), mine, new ApiConnection.Listener() {
                @Override
                public void answered(ApiConnection.Answer answer) {
                    took(System.nanoTime() - start, answer);
                    then.run();
                }

                @Override
                public void failed(Throwable cause) {
                    failure.compareAndSet(null, cause);
                    then.run();
                }
            });
        }

        private void took(long nanos, ApiConnection.Answer answer) {
            if (!answer.isSuccess()) {
                failure.compareAndSet(
                        null, new IllegalStateException("answered " + answer.code() + ": " + answer.refusal()));
            }
            bytes += answer.bytes();
            if (count == latencies.length) {
                latencies = Arrays.copyOf(latencies, 2 * count);
            }
            latencies[count++] = nanos;
        }
    }
}
