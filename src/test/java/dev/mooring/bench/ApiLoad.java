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
 * A closed-loop load: each of several connections to one server sends a request, waits for the response, and sends the
 * next. Used from one thread; the connections run on the event loop of their clients.
 */
final class ApiLoad implements AutoCloseable {
    private static final long ANSWER_DEADLINE_SECONDS = 120;

    /**
     * Result of a load.
     *
     * @param p50 median of the seconds until the response was complete
     * @param serverCpu total processor time of the server, in seconds
     * @param ownCpu total processor time of this process, the load generator
     */
    record Result(int operations, long bytes, double seconds, double p50, double p99, double serverCpu, double ownCpu) {
        double perSecond() {
            return operations() / seconds;
        }

        /** Returns the processor time of the server per request. */
        double serverCpuEach() {
            return serverCpu / operations();
        }

        /** Returns the processor time of the generator per request. */
        double ownCpuEach() {
            return ownCpu / operations();
        }
    }

    /** Selects the request that a connection sends next. */
    interface Requests {
        RequestTemplate of(int connection);
    }

    private final MeasuredServer server;
    private final ApiClients clients;
    private final List<ApiConnection> connections = new ArrayList<>();
    private long number;

    ApiLoad(MeasuredServer server, ApiClients clients, int count) throws InterruptedException {
        this.server = server;
        this.clients = clients;
        for (int i = 0; i < count; i++) {
            connections.add(ApiConnection.open(clients, server.port()));
        }
    }

    /** Returns the number of sent requests, which is the number of the next one. */
    long sent() {
        return number;
    }

    /** Runs for a time; requests are numbered consecutively. */
    Result run(Requests requests, Duration time) throws IOException, InterruptedException {
        return run(requests, time, Long.MAX_VALUE);
    }

    /** Runs for a time, with numbers below {@code distinct} only. */
    Result run(Requests requests, Duration time, long distinct) throws IOException, InterruptedException {
        return runClosedLoop(new Sending(requests, distinct), System.nanoTime() + time.toNanos(), Long.MAX_VALUE);
    }

    /** Runs a fixed number of requests as fast as possible. */
    Result run(Requests requests, long count) throws IOException, InterruptedException {
        return runClosedLoop(new Sending(requests, Long.MAX_VALUE), Long.MAX_VALUE, count);
    }

    private Result runClosedLoop(Sending sending, long deadline, long count) throws IOException, InterruptedException {
        CountDownLatch ended = new CountDownLatch(connections.size());
        RequestLoops loops = new RequestLoops(sending, deadline, count, ended);
        return measured(
                sending,
                ended,
                () -> clients.loop().execute(() -> {
                    for (int i = 0; i < connections.size(); i++) {
                        loops.next(i);
                    }
                }));
    }

    /** Sends one request per {@code pace}, whether or not previous ones were answered. */
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
            throw new IllegalStateException("A request failed or was not answered in time", sending.failure.get());
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

    /** Sends the next request of a connection after a response. */
    private static final class RequestLoops {
        private final Sending sending;
        private final long deadline;
        private final CountDownLatch ended;
        private long left;

        RequestLoops(Sending sending, long deadline, long count, CountDownLatch ended) {
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
                public void answered(ApiConnection.ApiResponse answer) {
                    addLatency(System.nanoTime() - start, answer);
                    then.run();
                }

                @Override
                public void failed(Throwable cause) {
                    failure.compareAndSet(null, cause);
                    then.run();
                }
            });
        }

        private void addLatency(long nanos, ApiConnection.ApiResponse answer) {
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
