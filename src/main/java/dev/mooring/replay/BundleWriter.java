package dev.mooring.replay;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Event;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.replay.explain.Explainer;
import dev.mooring.replay.explain.Explanation;
import dev.mooring.replay.explain.PastEvents;
import dev.mooring.world.World;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes a bundle piece by piece: a ZIP file with the objects at one revision, the events after it, and facts about the
 * machine. Holds one piece in memory. Every object is redacted ({@link Redaction}). Reading a piece may block on the
 * disk. Not thread-safe.
 */
public final class BundleWriter implements Iterator<byte[]> {
    /** Version of the format. */
    static final int FORMAT = 1;

    static final String BUNDLE = "bundle.json";
    static final String SNAPSHOT = "snapshot.jsonl";
    static final String EVENTS = "events.jsonl";

    /** Limit of the events in a bundle; older ones are left out. */
    public static final int MAX_EVENTS = 100_000;

    /** Limit of the JSON of these events, before compression. */
    public static final long MAX_EVENT_BYTES = 256L << 20;

    private static final int PIECE_BYTES = 64 * 1024;
    private static final int MAX_EXPLANATIONS = 500;

    private static final String README = """
        This file was written by "mooring debug bundle". It describes a Mooring server for people who look for the
        cause of a problem on another machine.

          mooring replay --bundle FILE     steps through the events; "why OBJECT" explains a state
          the web page                     opens the file when it is dropped on it

        bundle.json     version, node, first and last revision
        snapshot.jsonl  the objects at the first revision
        events.jsonl    the events after it
        explain.json    explanations of the objects with problems at the last revision
        config.yaml     settings in effect
        metrics.txt     metrics in the format of Prometheus
        mounts.txt      mount table of the server's process
        engine.json     containers of the node

        Left out: contents of Secrets and ConfigMaps, hashes of tokens, literal values of environment variables and of
        HTTP headers in Pods, annotations of Secrets, and the annotation in which kubectl repeats an object. Names,
        labels, other annotations, commands of containers, paths, addresses and messages of Events are in this file.
        """;

    /**
     * Everything that a bundle contains.
     *
     * @param from the World at the first revision
     * @param fromTime when it was current
     * @param to the World at the last revision
     * @param toTime when it was current
     * @param events those after {@code from}; more are ignored
     * @param past for explanations
     */
    public record Content(
            String version,
            String node,
            Instant created,
            World from,
            Instant fromTime,
            World to,
            Instant toTime,
            Iterator<Event> events,
            PastEvents past,
            ServerFacts machine) {}

    /** Facts about the machine, as the text of their files. Each is read when it is written, and may fail. */
    public record ServerFacts(
            Callable<String> settings, Callable<String> metrics, Callable<String> mounts, Callable<String> engine) {
        /** For a bundle of a data directory whose server does not run. */
        public static final ServerFacts NONE = new ServerFacts(
                () -> "# Not known: the bundle was made from a data directory.\n",
                () -> "# Not known: the bundle was made from a data directory.\n",
                () -> "",
                () -> "[]");
    }

    /** A file of the bundle, as lines. */
    private record Part(String name, Iterator<String> lines) {}

    private final Content content;
    private final Deque<Part> parts = new ArrayDeque<>();
    private final ByteArrayOutputStream buffer = new ByteArrayOutputStream(2 * PIECE_BYTES);
    private final ZipOutputStream zip = new ZipOutputStream(buffer, StandardCharsets.UTF_8);
    private Part current;
    private boolean finished;

    public BundleWriter(Content content) {
        this.content = content;
        parts.add(new Part("README.txt", List.of(README).iterator()));
        parts.add(new Part(BUNDLE, lazily(() -> description().toString() + '\n')));
        parts.add(new Part("config.yaml", lazily(content.machine().settings())));
        parts.add(new Part("metrics.txt", lazily(content.machine().metrics())));
        parts.add(new Part("mounts.txt", lazily(content.machine().mounts())));
        parts.add(new Part("engine.json", lazily(content.machine().engine())));
        parts.add(new Part(SNAPSHOT, snapshot()));
        parts.add(new Part(EVENTS, events()));
        parts.add(new Part("explain.json", lazily(() -> explanations().toString() + '\n')));
    }

    /** Returns the file name for a bundle of a node at a time. */
    public static String fileName(String node, Instant created) {
        return "mooring-bundle-" + node.replaceAll("[^A-Za-z0-9.-]", "_") + '-'
                + created.truncatedTo(ChronoUnit.SECONDS).toString().replaceAll("[^0-9TZ]", "") + ".zip";
    }

    /**
     * Returns the revision from which on the events fit into a bundle.
     *
     * @param events those after {@code from}
     */
    public static long fitting(long from, Iterator<Event> events) {
        return fitting(from, events, MAX_EVENTS, MAX_EVENT_BYTES);
    }

    static long fitting(long from, Iterator<Event> events, int maxEvents, long maxBytes) {
        Deque<Long> sizes = new ArrayDeque<>();
        long bytes = 0;
        long first = from;
        while (events.hasNext()) {
            long size = events.next().changes().stream()
                    .mapToLong(each -> each.object().json().length)
                    .sum();
            sizes.add(size);
            bytes += size;
            while (sizes.size() > maxEvents || (bytes > maxBytes && sizes.size() > 1)) {
                bytes -= sizes.remove();
                first++;
            }
        }
        return first;
    }

    @Override
    public boolean hasNext() {
        return !finished;
    }

    @Override
    public byte[] next() {
        if (finished) {
            throw new NoSuchElementException();
        }
        try {
            while (!finished && buffer.size() < PIECE_BYTES) {
                writeLine();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        byte[] piece = buffer.toByteArray();
        buffer.reset();
        return piece;
    }

    private void writeLine() throws IOException {
        if (current != null && current.lines().hasNext()) {
            zip.write(current.lines().next().getBytes(StandardCharsets.UTF_8));
            return;
        }
        if (current != null) {
            zip.closeEntry();
        }
        current = parts.poll();
        if (current == null) {
            zip.close();
            finished = true;
        } else {
            ZipEntry entry = new ZipEntry(current.name());
            entry.setTime(content.created().toEpochMilli());
            zip.putNextEntry(entry);
        }
    }

    /** Returns one text, computed when it is written. A failure becomes the text: the rest of a bundle is useful. */
    private static Iterator<String> lazily(Callable<String> text) {
        return new Iterator<>() {
            private boolean done;

            @Override
            public boolean hasNext() {
                return !done;
            }

            @Override
            public String next() {
                if (done) {
                    throw new NoSuchElementException();
                }
                done = true;
                try {
                    return text.call();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return "# Interrupted\n";
                } catch (Exception e) {
                    return "# Failed to read: " + Redaction.redact(String.valueOf(e.getMessage())) + '\n';
                }
            }
        };
    }

    private ObjectNode description() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("format", FORMAT)
                .put("version", content.version())
                .put("node", content.node())
                .put("created", content.created().toString());
        json.putObject("from")
                .put("revision", content.from().revision())
                .put("time", content.fromTime().toString());
        json.putObject("to")
                .put("revision", content.to().revision())
                .put("time", content.toTime().toString());
        return json;
    }

    private Iterator<String> snapshot() {
        Iterator<StoredObject> objects = content.from().list(Scope.all()).iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return objects.hasNext();
            }

            @Override
            public String next() {
                StoredObject object = Redaction.redact(objects.next());
                return JsonNodeFactory.instance
                                .objectNode()
                                .put("key", object.key().text())
                                .put("revision", object.revision())
                                .set("object", object.toTree())
                                .toString()
                        + '\n';
            }
        };
    }

    private Iterator<String> events() {
        Iterator<Event> events = content.events();
        return new Iterator<>() {
            private long revision = content.from().revision();

            @Override
            public boolean hasNext() {
                return revision < content.to().revision() && events.hasNext();
            }

            @Override
            public String next() {
                Event event = events.next();
                revision = event.revision();
                return EventJson.encode(Redaction.redact(event)) + '\n';
            }
        };
    }

    private ArrayNode explanations() {
        ArrayNode problems = JsonNodeFactory.instance.arrayNode();
        Explainer explainer = new Explainer(content.past());
        for (StoredObject object : content.to().list(Scope.all())) {
            if (problems.size() >= MAX_EXPLANATIONS) {
                break;
            }
            if (isExplained(object)) {
                Optional<Explanation> explanation =
                        explainer.explain(content.to(), object.key(), content.toTime(), key -> true);
                explanation.filter(Explanation::isProblem).ifPresent(each -> problems.add(each.json()));
            }
        }
        return problems;
    }

    private static boolean isExplained(StoredObject object) {
        String resource = object.key().resource();
        return !resource.equals("events") && !resource.equals("secrets") && !resource.equals("configmaps");
    }
}
