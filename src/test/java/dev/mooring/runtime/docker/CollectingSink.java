package dev.mooring.runtime.docker;

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

/** A sink that collects all output and waits for expected output. */
final class CollectingSink implements Sink {
    private static final long TIMEOUT_SECONDS = 180;

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
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (!out().contains(expected)) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError("Output does not contain '" + expected + "': '" + out() + "'");
            }
            wait(left);
        }
    }

    static int codeOf(Session session) throws EngineException, InterruptedException {
        try {
            return session.exitCode().toCompletableFuture().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | CompletionException e) {
            if (e.getCause() instanceof EngineException engine) {
                throw engine;
            }
            throw new AssertionError("Session failed with an exception other than EngineException", e);
        } catch (TimeoutException e) {
            throw new AssertionError("Session did not end in time", e);
        }
    }

    /** Waits for the session to fail and returns its failure. */
    static EngineException failureOf(Session session) throws InterruptedException {
        try {
            int code = codeOf(session);
            throw new AssertionError("Expected a failure, but the session ended with exit code " + code);
        } catch (EngineException e) {
            return e;
        }
    }

    /** Waits until all threads whose names start with the prefix have ended. */
    static void awaitNoThreads(String prefix) throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(prefix)) {
                thread.join(TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
                if (thread.isAlive()) {
                    throw new AssertionError("Thread of a session is still alive: " + thread);
                }
            }
        }
    }
}
