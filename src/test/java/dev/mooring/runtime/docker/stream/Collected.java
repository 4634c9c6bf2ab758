package dev.mooring.runtime.docker.stream;

import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.ContainerStreams.Session;
import dev.mooring.runtime.ContainerStreams.Sink;
import dev.mooring.runtime.EngineException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A sink that keeps everything, and waits for what a test expects. */
final class Collected implements Sink {
    private static final long PATIENCE_SECONDS = 60;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Override
    public synchronized void output(Channel channel, byte[] bytes) {
        (channel == Channel.STDOUT ? out : err).writeBytes(bytes);
        notifyAll();
    }

    synchronized String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    synchronized String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    synchronized byte[] bytes() {
        return out.toByteArray();
    }

    synchronized void awaitOut(String expected) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!out().contains(expected)) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError("Expected output with '" + expected + "', but it was '" + out() + "'.");
            }
            wait(left);
        }
    }

    static int codeOf(Session session) throws EngineException, InterruptedException {
        try {
            return session.ended().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | CompletionException e) {
            if (e.getCause() instanceof EngineException engine) {
                throw engine;
            }
            throw new AssertionError("Expected an EngineException or none, but it was another.", e);
        } catch (TimeoutException e) {
            throw new AssertionError("Expected an end, but there is none.", e);
        }
    }

    /** How it failed. */
    static EngineException failureOf(Session session) throws InterruptedException {
        try {
            int code = codeOf(session);
            throw new AssertionError("Expected a failure, but it ended with " + code + ".");
        } catch (EngineException e) {
            return e;
        }
    }

    /** Those of sessions, by name. */
    static void awaitNoThreads(String prefix) throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(prefix)) {
                thread.join(TimeUnit.SECONDS.toMillis(10));
                if (thread.isAlive()) {
                    throw new AssertionError("Expected no thread of a session, but " + thread + " lives.");
                }
            }
        }
    }
}
