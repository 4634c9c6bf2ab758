package dev.mooring.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * An open watch that is read by its own thread, and the objects that it has reported. Each event wakes waiting threads.
 * Thread-safe.
 */
final class NodeWatch implements AutoCloseable {
    /** Far longer than any operation takes on a busy machine. */
    private static final Duration DEADLINE = Duration.ofSeconds(150);

    private final String path;
    private final InputStream body;
    private final Map<String, JsonNode> objects = new TreeMap<>();
    private int mounted;
    private boolean ended;

    /** @param first the objects at the start of the watch */
    NodeWatch(String path, JsonNode first, InputStream body) {
        this.path = path;
        this.body = body;
        first.forEach(each -> update(each, ObjectPresence.PRESENT));
        Thread reader = new Thread(this::read, "node-watch");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode event = NodeApiClient.JSON.readTree(line);
                update(
                        event.path("object"),
                        event.path("type").asText().equals("DELETED") ? ObjectPresence.ABSENT : ObjectPresence.PRESENT);
            }
        } catch (IOException ignored) {
            // closed by the test or the server
        }
        synchronized (this) {
            ended = true;
            notifyAll();
        }
    }

    private enum ObjectPresence {
        PRESENT,
        ABSENT
    }

    private synchronized void update(JsonNode object, ObjectPresence presence) {
        String name = object.at("/metadata/name").asText();
        JsonNode before = presence == ObjectPresence.ABSENT ? objects.remove(name) : objects.put(name, object);
        if (before != null) {
            mounted -= mounts(before);
        }
        if (presence == ObjectPresence.PRESENT) {
            mounted += mounts(object);
        }
        notifyAll();
    }

    private static int mounts(JsonNode object) {
        int count = 0;
        for (JsonNode each : object.at("/status/mounts")) {
            count += each.path("state").asText().equals("Mounted") ? 1 : 0;
        }
        return count;
    }

    synchronized int size() {
        return objects.size();
    }

    /** Number of mounts for Pods in all ActualVolumes. */
    synchronized int mounted() {
        return mounted;
    }

    synchronized Optional<JsonNode> get(String name) {
        return Optional.ofNullable(objects.get(name));
    }

    synchronized List<JsonNode> all() {
        return List.copyOf(objects.values());
    }

    /** Waits until the predicate holds. It is tested after each event and should be cheap. */
    synchronized void await(String expected, Predicate<NodeWatch> holds) {
        if (!awaitUnlessEnded(expected, holds)) {
            throw failure(expected, "the watch ended");
        }
    }

    /** Waits until the predicate holds or the server has ended the watch; returns whether it holds. */
    synchronized boolean awaitUnlessEnded(String expected, Predicate<NodeWatch> holds) {
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (!holds.test(this)) {
            long left = end - System.nanoTime();
            if (ended) {
                return false;
            }
            if (left <= 0) {
                throw failure(expected, "not within " + DEADLINE);
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
        return true;
    }

    private AssertionError failure(String expected, String found) {
        return new AssertionError("Expected " + expected + ", but " + found + "; " + path + " has " + objects.size()
                + " objects with " + mounted + " mounts: " + excerpt());
    }

    private String excerpt() {
        StringBuilder text = new StringBuilder();
        for (JsonNode each : objects.values()) {
            boolean isMounted = each.at("/status/state").asText().equals("Mounted");
            if (!isMounted && text.length() < 4000) {
                text.append('\n')
                        .append(each.at("/metadata/name").asText())
                        .append(' ')
                        .append(each.path("spec"))
                        .append(' ')
                        .append(each.path("status"));
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        try {
            body.close();
        } catch (IOException ignored) {
            // already closed
        }
    }
}
