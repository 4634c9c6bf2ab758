package dev.mooring.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.VersionInfo;
import dev.mooring.api.tls.PrivateFiles;
import dev.mooring.model.Digests;
import dev.mooring.model.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * A backup of a data directory: the event log with its snapshots, certificates, tokens, and the node's name, in a ZIP
 * file with the SHA-256 digest of each file. Without the data of volumes. The server may run during a backup: segments
 * are append-only and are copied after the snapshots, in their order, so that the copy is the log at one moment.
 */
public final class Backup {
    private static final String MANIFEST = "backup.json";
    private static final int FORMAT = 1;

    /** In the order in which they are copied. */
    private static final List<Pattern> CONTENT = List.of(
            Pattern.compile("log/world-\\d{19}\\.snapshot"),
            Pattern.compile("log/events-\\d{19}\\.log"),
            Pattern.compile("pki/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}"),
            Pattern.compile("node\\.json|kubeconfig"));

    private static final String UNFINISHED = ".restore";
    private static final int BUFFER = 1 << 16;
    private static final long MAX_MANIFEST = 16L << 20;

    private Backup() {}

    /**
     * Writes a backup. The file appears only when it is complete.
     *
     * @return the number of files in it
     * @throws MooringException if the file exists or the directory has no log
     */
    public static int write(Path data, Path file, Instant now) throws IOException {
        if (Files.exists(file)) {
            throw new MooringException(ExitCode.CONFLICT, file + " exists already; next: choose another file");
        }
        if (Files.exists(data.resolve("log/rewrite"))) {
            throw new MooringException(
                    ExitCode.CONFLICT,
                    "The log in " + data + " is being rewritten; next: start the server, then retry");
        }
        Path target = file.toAbsolutePath();
        Path unfinished = target.resolveSibling(target.getFileName() + ".tmp");
        Files.deleteIfExists(unfinished);
        ObjectNode digests = Json.MAPPER.createObjectNode();
        try (FileChannel channel = FileChannel.open(
                unfinished,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            ZipOutputStream zip = new ZipOutputStream(Channels.newOutputStream(channel));
            zip.setLevel(1);
            for (String name : content(data)) {
                digests.put(name, add(zip, data, name));
            }
            ObjectNode manifest = Json.MAPPER.createObjectNode().put("format", FORMAT);
            manifest.put("created", now.toString());
            manifest.put("version", VersionInfo.ofThisBuild().version());
            manifest.set("sha256", digests);
            zip.putNextEntry(new ZipEntry(MANIFEST));
            zip.write(Json.MAPPER.writeValueAsBytes(manifest));
            zip.finish();
            zip.flush();
            channel.force(true);
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(unfinished);
            if (e instanceof NoSuchFileException gone) {
                throw new MooringException(
                        ExitCode.CONFLICT, gone.getFile() + " was removed during the backup; next: retry", e);
            }
            throw e;
        }
        Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        return digests.size();
    }

    /** Returns the names of the files to copy, in order. */
    private static List<String> content(Path data) throws IOException {
        List<String> all = new ArrayList<>();
        for (String directory : List.of("log", "pki", "")) {
            if (Files.isDirectory(data.resolve(directory))) {
                try (Stream<Path> entries = Files.list(data.resolve(directory))) {
                    entries.filter(Files::isRegularFile)
                            .map(each -> data.relativize(each).toString())
                            .forEach(all::add);
                }
            }
        }
        List<String> wanted = CONTENT.stream()
                .flatMap(pattern -> all.stream()
                        .filter(name -> pattern.matcher(name).matches())
                        .sorted())
                .toList();
        if (wanted.stream().noneMatch(name -> CONTENT.get(1).matcher(name).matches())) {
            throw new MooringException(
                    ExitCode.NOT_FOUND,
                    "No log in " + data + "; next: specify the server's data directory with --data");
        }
        return wanted;
    }

    /** Copies a file up to its present length, and returns its digest. */
    private static String add(ZipOutputStream zip, Path data, String name) throws IOException {
        MessageDigest digest = Digests.newSha256();
        zip.putNextEntry(new ZipEntry(name));
        Path file = data.resolve(name);
        long left = Files.size(file);
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = Files.newInputStream(file)) {
            while (left > 0) {
                int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (read < 0) {
                    break;
                }
                zip.write(buffer, 0, read);
                digest.update(buffer, 0, read);
                left -= read;
            }
        }
        zip.closeEntry();
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Checks a restored log before it is used. */
    @FunctionalInterface
    public interface Verification {
        /** @param data a data directory with the restored log */
        boolean isValid(Path data) throws IOException;
    }

    /**
     * Restores a backup into an empty or new directory. Nothing is in its place before all digests match and the log is
     * verified.
     *
     * @return the number of restored files
     * @throws MooringException if the directory is not empty, or the backup is damaged
     */
    public static int restore(Path file, Path data, Verification verification) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new MooringException(ExitCode.NOT_FOUND, "No backup at " + file + "; next: correct the file name");
        }
        requireEmpty(data);
        if (!Files.isDirectory(data)) {
            PrivateFiles.makeDirectory(data);
        }
        Path unfinished = data.resolve(UNFINISHED);
        int files;
        try {
            files = extract(file, unfinished);
            if (!verification.isValid(unfinished)) {
                throw damaged(file, "its log is damaged");
            }
        } catch (ZipException e) {
            remove(unfinished);
            throw damaged(file, e.getMessage());
        } catch (IOException | RuntimeException e) {
            remove(unfinished);
            throw e;
        }
        try (Stream<Path> entries = Files.list(unfinished)) {
            // The log last: without it, the directory is not yet a complete data directory.
            for (Path each : entries.sorted((a, b) -> Boolean.compare(a.endsWith("log"), b.endsWith("log")))
                    .toList()) {
                Files.move(each, data.resolve(each.getFileName()), StandardCopyOption.ATOMIC_MOVE);
            }
        }
        Files.delete(unfinished);
        return files;
    }

    private static void requireEmpty(Path data) throws IOException {
        if (!Files.exists(data)) {
            return;
        }
        if (!Files.isDirectory(data)) {
            throw new MooringException(ExitCode.CONFLICT, data + " is not a directory; next: choose another --data");
        }
        try (Stream<Path> entries = Files.list(data)) {
            entries.map(each -> each.getFileName().toString())
                    .filter(name -> !name.equals("lost+found"))
                    .findFirst()
                    .ifPresent(name -> {
                        throw new MooringException(
                                ExitCode.CONFLICT,
                                data + " is not empty: it contains " + name
                                        + "; next: choose another --data, or move its content away");
                    });
        }
    }

    private static MooringException damaged(Path file, String problem) {
        return new MooringException(
                ExitCode.LOG_DAMAGED, "Backup " + file + " is damaged: " + problem + "; next: use another backup");
    }

    private static int extract(Path file, Path into) throws IOException {
        try (ZipFile zip = new ZipFile(file.toFile())) {
            JsonNode digests = manifest(zip, file).path("sha256");
            Set<String> missing = new HashSet<>();
            digests.fieldNames().forEachRemaining(missing::add);
            PrivateFiles.makeDirectory(into);
            for (ZipEntry entry : zip.stream().map(ZipEntry.class::cast).toList()) {
                String name = entry.getName();
                if (name.equals(MANIFEST)) {
                    continue;
                }
                if (CONTENT.stream().noneMatch(each -> each.matcher(name).matches()) || !missing.remove(name)) {
                    throw damaged(file, "it has an unexpected file " + name);
                }
                if (!write(zip, entry, into.resolve(name))
                        .equals(digests.path(name).asText())) {
                    throw damaged(file, "the digest of " + name + " does not match");
                }
            }
            if (!missing.isEmpty()) {
                throw damaged(file, "it has no file " + missing.iterator().next());
            }
            return digests.size();
        }
    }

    private static JsonNode manifest(ZipFile zip, Path file) throws IOException {
        ZipEntry entry = zip.getEntry(MANIFEST);
        if (entry == null || entry.getSize() > MAX_MANIFEST) {
            throw damaged(file, "it has no " + MANIFEST);
        }
        JsonNode manifest;
        try (InputStream in = zip.getInputStream(entry)) {
            manifest = Json.MAPPER.readTree(in);
        }
        if (manifest.path("format").asInt() != FORMAT) {
            throw new MooringException(
                    ExitCode.FAILED,
                    "Backup " + file + " has format " + manifest.path("format").asText("?") + ", made by mooring "
                            + manifest.path("version").asText("?") + "; next: restore it with that version");
        }
        return manifest;
    }

    private static String write(ZipFile zip, ZipEntry entry, Path to) throws IOException {
        MessageDigest digest = Digests.newSha256();
        PrivateFiles.makeDirectory(to.getParent());
        try (InputStream in = zip.getInputStream(entry);
                FileChannel channel = FileChannel.open(
                        to,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            OutputStream out = Channels.newOutputStream(channel);
            byte[] buffer = new byte[BUFFER];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
                digest.update(buffer, 0, read);
            }
            channel.force(true);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static void remove(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            try (Stream<Path> entries = Files.walk(directory)) {
                for (Path each : entries.sorted((a, b) -> b.compareTo(a)).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
