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
 * An open watch, read by a thread of its own, and the objects as it has told them. Who waits is woken by what comes. Thread-safe.
 */
final class NodeWatch implements AutoCloseable {
    /** Far more than anything takes on a busy machine. */
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final String what;
    private final InputStream body;
    private final Map<String, JsonNode> objects = new TreeMap<>();
    private int mounted;
    private boolean ended;

    /** @param first the objects as they were when it was begun */
    NodeWatch(String what, JsonNode first, InputStream body) {
        this.what = what;
        this.body = body;
        first.forEach(each -> take(each, Fate.THERE));
        Thread reader = new Thread(this::read, "node-watch");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode event = NodeApi.JSON.readTree(line);
                take(event.path("object"), event.path("type").asText().equals("DELETED") ? Fate.GONE : Fate.THERE);
            }
        } catch (IOException ignored) {
            // closed by us, or by the end of the server
        }
        synchronized (this) {
            ended = true;
            notifyAll();
        }
    }

    private enum Fate {
        THERE,
        GONE
    }

    private synchronized void take(JsonNode object, Fate fate) {
        String name = object.at("/metadata/name").asText();
        JsonNode before = fate == Fate.GONE ? objects.remove(name) : objects.put(name, object);
        if (before != null) {
            mounted -= mounts(before);
        }
        if (fate == Fate.THERE) {
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

    /** How many mounts there are for Pods, of all ActualVolumes together. */
    synchronized int mounted() {
        return mounted;
    }

    synchronized Optional<JsonNode> get(String name) {
        return Optional.ofNullable(objects.get(name));
    }

    synchronized List<JsonNode> all() {
        return List.copyOf(objects.values());
    }

    /** Waits until this holds. It is asked after each event, so it should cost little. */
    synchronized void await(String expected, Predicate<NodeWatch> holds) {
        if (!awaitUnlessEnded(expected, holds)) {
            throw failure(expected, "the watch ended");
        }
    }

    /** Waits until this holds, or the watch has ended with its server; whether it holds. */
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
        return new AssertionError("Expected " + expected + ", but " + found + "; " + what + " has " + objects.size()
                + " objects with " + mounted + " mounts: " + excerpt());
    }

    private String excerpt() {
        StringBuilder text = new StringBuilder();
        for (JsonNode each : objects.values()) {
            boolean well = each.at("/status/state").asText().equals("Mounted");
            if (!well && text.length() < 4000) {
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
            // it has ended anyhow
        }
    }
}
