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
 * All connections to one engine, in pools by how long their calls take. A pool is bounded, and a call that finds it full waits within its deadline.
 * Making this connects to nothing. Any thread.
 *
 * @param asking what is answered at once
 * @param doing what takes a while: making, starting and removing containers
 * @param waiting what takes as long as somebody wishes or a network needs: ending containers, fetching images
 * @param following events
 */
record EngineLines(
        EngineLine asking, EngineLine doing, EngineLine waiting, EngineLine following, ExecutorService threads)
        implements AutoCloseable {
    /** Questions about containers that hang take a connection each until their time is up. */
    private static final int ASKING = 256;

    private static final int DOING = 256;
    private static final int WAITING = 1024;
    private static final int FOLLOWING = 16;
    private static final long IDLE_THREAD_SECONDS = 30;
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(10);

    static EngineLines of(DockerSettings settings) {
        Pools pools =
                new Pools(settings, settings.tlsDirectory().map(directory -> tls(settings, directory.toString())));
        ExecutorService threads = newThreads();
        return new EngineLines(
                line(pools, ASKING, Optional.of(settings.deadline()), threads),
                line(pools, DOING, Optional.of(settings.deadline()), threads),
                line(pools, WAITING, Optional.empty(), threads),
                line(pools, FOLLOWING, Optional.empty(), threads),
                threads);
    }

    @Override
    public void close() {
        asking.close();
        doing.close();
        waiting.close();
        following.close();
        threads.shutdownNow();
    }

    private static EngineLine line(Pools pools, int size, Optional<Duration> silence, ExecutorService threads) {
        return new EngineLine(pools.settings.host(), () -> pools.client(size, silence), threads);
    }

    private static SSLConfig tls(DockerSettings settings, String directory) {
        SSLConfig config = new LocalDirectorySSLConfig(directory);
        try {
            config.getSSLContext();
        } catch (Exception e) {
            throw new IllegalArgumentException(
                    "Expected the files in " + directory + " to be usable for TLS to the engine at " + settings.host()
                            + ", but: " + e.getMessage(),
                    e);
        }
        return config;
    }

    /** As many as there are callers who wait for one, and no more. */
    private static ExecutorService newThreads() {
        AtomicInteger number = new AtomicInteger();
        return new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_THREAD_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
                    Thread thread = new Thread(work, "docker-call-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    private record Pools(DockerSettings settings, Optional<SSLConfig> tls) {
        /** @param silence how long nothing may come before a TCP connection is given up; Unix sockets have no such limit */
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
