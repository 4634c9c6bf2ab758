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
    private static final long ANSWER_DEADLINE_SECONDS = 60;

    /** What was seen. */
    record Result(long[] sortedLatencies, long bytes, double seconds, double serverCpu, double ownCpu) {
        int operations() {
            return sortedLatencies.length;
        }

        double perSecond() {
            return operations() / seconds;
        }

        double latencySeconds(double percent) {
            int index = (int) (operations() * percent / 100);
            return sortedLatencies[Math.min(operations() - 1, index)] / 1e9;
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

    private final ApiServer server;
    private final ApiClients clients;
    private final List<ApiConnection> connections = new ArrayList<>();
    private long number;

    ApiLoad(ApiServer server, ApiClients clients, int count) throws InterruptedException {
        this.server = server;
        this.clients = clients;
        int port = server.access().server().getPort();
        for (int i = 0; i < count; i++) {
            connections.add(ApiConnection.open(clients, port));
        }
    }

    /** How many requests have been sent, which is the number the next one gets. */
    long sent() {
        return number;
    }

    /** The next request gets this number. */
    void startAt(long next) {
        number = next;
    }

    /** For a time. */
    Result run(Requests requests, Duration time) throws IOException, InterruptedException {
        return new Sending(requests, System.nanoTime() + time.toNanos(), Long.MAX_VALUE, Long.MAX_VALUE).go();
    }

    /** So many of them, and the numbers start again after {@code distinct} of them. */
    Result run(Requests requests, long count, long distinct) throws IOException, InterruptedException {
        return new Sending(requests, Long.MAX_VALUE, count, distinct).go();
    }

    /** As {@link #run(Requests, Duration)}, with numbers below {@code distinct} only. */
    Result run(Requests requests, Duration time, long distinct) throws IOException, InterruptedException {
        return new Sending(requests, System.nanoTime() + time.toNanos(), Long.MAX_VALUE, distinct).go();
    }

    /** One request each {@code pace}, whether the ones before are answered or not. */
    Result paced(Requests requests, int count, Duration pace) throws IOException, InterruptedException {
        return new Sending(requests, Long.MAX_VALUE, count, Long.MAX_VALUE).go(pace);
    }

    @Override
    public void close() {
        clients.loop().execute(() -> connections.forEach(ApiConnection::close));
    }

    private final class Sending {
        private final Requests requests;
        private final long deadline;
        private final long distinct;
        private final CountDownLatch ended;
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private long left;
        private long bytes;
        private long[] latencies = new long[1024];
        private int count;

        Sending(Requests requests, long deadline, long most, long distinct) {
            this.requests = requests;
            this.deadline = deadline;
            this.left = most;
            this.distinct = distinct;
            this.ended = new CountDownLatch(connections.size());
        }

        Result go() throws IOException, InterruptedException {
            return measured(() -> clients.loop().execute(() -> {
                for (int i = 0; i < connections.size(); i++) {
                    next(i);
                }
            }));
        }

        Result go(Duration pace) throws IOException, InterruptedException {
            long total = left;
            return measured(() -> {
                long due = System.nanoTime();
                for (long i = 0; i < total; i++) {
                    int connection = (int) (i % connections.size());
                    clients.loop().execute(() -> send(connection));
                    due += pace.toNanos();
                    TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
                }
                clients.loop().execute(() -> connections.forEach(each -> ended.countDown()));
            });
        }

        private Result measured(Work work) throws IOException, InterruptedException {
            long serverCpu = server.cpuNanos();
            Stopwatch watch = new Stopwatch();
            work.run();
            boolean whole = ended.await(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            double seconds = watch.seconds();
            double ownCpu = watch.cpuSeconds();
            double used = (server.cpuNanos() - serverCpu) / 1e9;
            if (!whole || failure.get() != null) {
                throw new IllegalStateException("Expected every request to be answered well", failure.get());
            }
            long[] sorted = Arrays.copyOf(latencies, count);
            Arrays.sort(sorted);
            return new Result(sorted, bytes, seconds, used, ownCpu);
        }

        private void next(int connection) {
            if (left > 0 && failure.get() == null && System.nanoTime() < deadline) {
                send(connection);
            } else {
                ended.countDown();
            }
        }

        private void send(int connection) {
            left--;
            long start = System.nanoTime();
            long mine = number++ % distinct;
            connections.get(connection).send(requests.of(connection), mine, new ApiConnection.Listener() {
                @Override
                public void answered(ApiConnection.Answer answer) {
                    took(System.nanoTime() - start, answer);
                    next(connection);
                }

                @Override
                public void failed(Throwable cause) {
                    failure.compareAndSet(null, cause);
                    next(connection);
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

    private interface Work {
        void run() throws InterruptedException;
    }
}
