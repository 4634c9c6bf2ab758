package dev.mooring.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.log.Batch;
import dev.mooring.log.LogInspector;
import dev.mooring.log.LogPosition;
import dev.mooring.model.Event;
import dev.mooring.model.Json;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Ledger.Checkpoint;
import dev.mooring.world.World;
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/** A bundle that {@link BundleWriter} wrote, read into memory. */
public final class Bundle implements Recording.Source {
    /** Limit of the unpacked size: the file may come from anybody. */
    private static final long MAX_BYTES = 1L << 30;

    private final JsonNode description;
    private final Checkpoint start;
    private final List<Event> events;

    private Bundle(JsonNode description, Checkpoint start, List<Event> events) {
        this.description = description;
        this.start = start;
        this.events = events;
    }

    /** @throws IOException if the file is not a bundle of a known format */
    public static Bundle read(Path file) throws IOException {
        try (ZipFile zip = new ZipFile(file.toFile(), StandardCharsets.UTF_8)) {
            long[] left = {MAX_BYTES};
            JsonNode description = Json.MAPPER.readTree(String.join("", lines(zip, BundleWriter.BUNDLE, left)));
            int format = description.path("format").asInt();
            if (format != BundleWriter.FORMAT) {
                throw new IOException(file + " has the bundle format " + format + ", but this version of Mooring reads "
                        + BundleWriter.FORMAT);
            }
            List<StoredObject> objects = new ArrayList<>();
            for (String line : lines(zip, BundleWriter.SNAPSHOT, left)) {
                JsonNode tree = Json.MAPPER.readTree(line);
                objects.add(EventJson.object(tree, tree.path("revision").asLong()));
            }
            List<Event> events = new ArrayList<>();
            long revision = description.path("from").path("revision").asLong();
            for (String line : lines(zip, BundleWriter.EVENTS, left)) {
                Event event = EventJson.decode(line);
                if (event.revision() != ++revision) {
                    throw new IOException(file + " has revision " + event.revision() + " in place of " + revision);
                }
                events.add(event);
            }
            LogPosition position = position(description.path("from"));
            return new Bundle(description, new Checkpoint(Recording.worldOf(position, objects), position), events);
        } catch (ZipException | JsonProcessingException | DateTimeException e) {
            throw new IOException(file + " is not a bundle of Mooring: " + e.getMessage(), e);
        }
    }

    private static LogPosition position(JsonNode moment) {
        return position(
                moment.path("revision").asLong(),
                Instant.parse(moment.path("time").asText()));
    }

    private static LogPosition position(long revision, Instant time) {
        return new LogPosition(revision, 0, 0, 0, 0, time.toEpochMilli());
    }

    private static List<String> lines(ZipFile zip, String name, long[] left) throws IOException {
        ZipEntry entry = zip.getEntry(name);
        if (entry == null) {
            throw new IOException(zip.getName() + " is not a bundle of Mooring: it has no " + name);
        }
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                new LimitedStream(zip.getInputStream(entry), left, zip.getName()), StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Fails beyond a limit that several streams share. */
    private static final class LimitedStream extends FilterInputStream {
        private final long[] left;
        private final String file;

        LimitedStream(InputStream in, long[] left, String file) {
            super(in);
            this.left = left;
            this.file = file;
        }

        @Override
        public int read() throws IOException {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int count = super.read(bytes, offset, length);
            left[0] -= Math.max(0, count);
            if (left[0] < 0) {
                throw new IOException(file + " is larger than " + MAX_BYTES + " bytes when unpacked");
            }
            return count;
        }
    }

    /** Opens the events of the bundle. */
    public Recording recording() throws IOException {
        return new Recording(this, Recording.Retained.DEFAULT);
    }

    /** Returns the node that wrote the bundle. */
    public String node() {
        return description.path("node").asText("");
    }

    /** Returns the version of Mooring that wrote the bundle. */
    public String version() {
        return description.path("version").asText("");
    }

    @Override
    public Checkpoint first() {
        return start;
    }

    @Override
    public LogPosition last() {
        return events.isEmpty() ? start.position() : end(events.get(events.size() - 1));
    }

    @Override
    public List<LogPosition> stored() {
        return List.of();
    }

    @Override
    public Checkpoint load(long revision) {
        throw new UnsupportedOperationException("A bundle has one snapshot");
    }

    @Override
    public void read(LogPosition after, LogInspector.Visitor visitor) throws IOException {
        World first = start.world();
        for (int i = (int) (after.revision() - first.revision()); i < events.size(); i++) {
            Event event = events.get(i);
            if (!visitor.batch(new Batch(List.of(event), 0), end(event))) {
                return;
            }
        }
    }

    private static LogPosition end(Event event) {
        return position(event.revision(), event.time());
    }
}
