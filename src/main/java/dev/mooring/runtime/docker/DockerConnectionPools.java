package dev.mooring.runtime.docker;

import com.github.dockerjava.core.LocalDirectorySSLConfig;
import com.github.dockerjava.transport.DockerHttpClient;
import com.github.dockerjava.transport.SSLConfig;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The connection pools of one engine, by duration of their calls. Each pool is bounded, and a call waits for a free
 * connection within its deadline. Creation does not connect. Any thread.
 *
 * @param queries immediate responses
 * @param changes calls that take a while: create, start and remove containers
 * @param longCalls calls without a fixed duration: stop containers, pull images
 * @param events event streams
 */
record DockerConnectionPools(
        DockerConnectionPool queries,
        DockerConnectionPool changes,
        DockerConnectionPool longCalls,
        DockerConnectionPool events,
        ExecutorService threads)
        implements AutoCloseable {
    /** A query about a hanging container holds a connection until its timeout. */
    private static final int QUERIES = 256;

    private static final int CHANGES = 256;
    private static final int LONG_CALLS = 1024;
    private static final int EVENTS = 16;
    private static final long IDLE_THREAD_SECONDS = 30;
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(10);

    static DockerConnectionPools of(DockerSettings settings) {
        ClientFactory pools = new ClientFactory(
                settings, settings.tlsDirectory().map(directory -> tls(settings, directory.toString())));
        ExecutorService threads = newThreads();
        return new DockerConnectionPools(
                newPool(pools, QUERIES, Optional.of(settings.deadline()), threads),
                newPool(pools, CHANGES, Optional.of(settings.deadline()), threads),
                newPool(pools, LONG_CALLS, Optional.empty(), threads),
                newPool(pools, EVENTS, Optional.empty(), threads),
                threads);
    }

    @Override
    public void close() {
        queries.close();
        changes.close();
        longCalls.close();
        events.close();
        threads.shutdownNow();
    }

    private static DockerConnectionPool newPool(
            ClientFactory pools, int size, Optional<Duration> silence, ExecutorService threads) {
        return new DockerConnectionPool(pools.settings.host(), () -> pools.client(size, silence), threads);
    }

    private static SSLConfig tls(DockerSettings settings, String directory) {
        SSLConfig config = new LocalDirectorySSLConfig(directory);
        try {
            config.getSSLContext();
        } catch (Exception e) {
            throw new IllegalArgumentException(
                    "Cannot use the files in " + directory + " for TLS to the engine at " + settings.host() + ": "
                            + e.getMessage(),
                    e);
        }
        return config;
    }

    /** Creates an unbounded pool: as many threads as there are waiting callers. */
    private static ExecutorService newThreads() {
        AtomicInteger number = new AtomicInteger();
        return new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_THREAD_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
                    Thread thread = new Thread(work, "docker-call-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    private record ClientFactory(DockerSettings settings, Optional<SSLConfig> tls) {
        /**
         * Creates a client.
         *
         * @param silence maximum time without data on a TCP connection; Unix sockets have no such limit
         */
        DockerHttpClient client(int size, Optional<Duration> silence) {
            return new ZerodepDockerHttpClient.Builder()
                    .dockerHost(settings.uri())
                    .sslConfig(tls.orElse(null))
                    .maxConnections(size)
                    .connectionTimeout(
                            settings.deadline().compareTo(LONGEST_CONNECT) < 0 ? settings.deadline() : LONGEST_CONNECT)
                    .responseTimeout(silence.orElse(null))
                    .build();
        }
    }
}
