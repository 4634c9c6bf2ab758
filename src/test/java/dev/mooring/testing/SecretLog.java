package dev.mooring.testing;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.log.Disk;
import dev.mooring.log.Encryption;
import dev.mooring.log.FileEventLog;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.world.World;
import dev.mooring.world.WorldRestore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;

/** A log with Secrets, and its World. */
public final class SecretLog implements AutoCloseable {
    public static final Path DIRECTORY = Path.of("/data/log");
    private static final long SEGMENT_BYTES = 4_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final FileEventLog log;
    private World world;

    private SecretLog(FileEventLog log, World world) {
        this.log = log;
        this.world = world;
    }

    public static SecretLog open(Disk disk, Encryption encryption) throws IOException {
        return open(disk, DIRECTORY, encryption);
    }

    public static SecretLog open(Disk disk, Path directory, Encryption encryption) throws IOException {
        WorldRestore restore = new WorldRestore();
        FileEventLog log = FileEventLog.open(disk, directory, SEGMENT_BYTES, Clock.systemUTC(), encryption, restore);
        return new SecretLog(log, restore.world());
    }

    /** Returns a key with bytes from a seed. */
    public static Encryption.NamedKey key(int id, int seed) {
        byte[] bytes = new byte[Encryption.KEY_BYTES];
        new Random(seed).nextBytes(bytes);
        return Encryption.NamedKey.of(id, bytes);
    }

    public static Encryption with(Encryption.NamedKey... keys) {
        return Encryption.with(List.of(keys), new SecureRandom());
    }

    public static ObjectKey secret(String name) {
        return ObjectKey.namespaced("secrets", "default", name);
    }

    public static String base64(String value) {
        return Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8));
    }

    public FileEventLog log() {
        return log;
    }

    public World world() {
        return world;
    }

    /** Puts a Secret as {@code kubectl apply} does, with its content a second time in an annotation. */
    public long put(ObjectKey key, String uid, String value) throws IOException {
        ObjectNode object = MAPPER.createObjectNode();
        object.put("apiVersion", "v1").put("kind", "Secret");
        ObjectNode metadata = object.putObject("metadata").put("name", key.name());
        key.namespace().ifPresent(namespace -> metadata.put("namespace", namespace));
        metadata.put("uid", uid);
        object.putObject("data").put("password", base64(value));
        metadata.putObject("annotations")
                .put(
                        "kubectl.kubernetes.io/last-applied-configuration",
                        "{\"data\":{\"password\":\"" + base64(value) + "\"},\"stringData\":{\"plain\":\"" + value
                                + "\"}}");
        long revision = world.revision() + 1;
        long prior = world.get(key).map(before -> before.revision()).orElse(0L);
        append(Samples.event(revision, Change.put(Draft.of(key, object).at(revision), prior)));
        return revision;
    }

    public long remove(ObjectKey key) throws IOException {
        Event event = Samples.removal(world, key);
        append(event);
        return event.revision();
    }

    /** Puts claims, one event each, in one batch. */
    public void claims(String... contents) throws IOException {
        List<Event> events = new ArrayList<>();
        World next = world;
        for (String content : contents) {
            Event event = Samples.put(next, Samples.claim("c" + next.revision() % 5), content);
            events.add(event);
            next = next.after(event);
        }
        append(events.toArray(new Event[0]));
    }

    private void append(Event... events) throws IOException {
        World next = world;
        for (Event event : events) {
            next = next.after(event);
        }
        log.append(Samples.batch(next, events));
        world = next;
    }

    public void snapshot() throws IOException {
        log.snapshots().write(log.end(), world.size(), world.list(Scope.all()));
    }

    /** Returns the files of a log's directory that contain a text, plain or in base64. */
    public static List<String> filesWith(Disk disk, Path directory, String text) throws IOException {
        List<String> found = new ArrayList<>();
        for (String name : disk.list(directory)) {
            Path file = directory.resolve(name);
            java.nio.ByteBuffer bytes = java.nio.ByteBuffer.allocate((int) disk.size(file));
            try (Disk.DiskFile open = disk.openForReading(file)) {
                open.read(0, bytes);
            }
            String content = new String(bytes.array(), StandardCharsets.ISO_8859_1);
            boolean contained = Arrays.asList(text, base64(text)).stream().anyMatch(content::contains);
            if (contained) {
                found.add(name);
            }
        }
        return found;
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
