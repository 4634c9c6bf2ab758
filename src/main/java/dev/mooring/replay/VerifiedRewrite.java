package dev.mooring.replay;

import dev.mooring.log.Disk;
import dev.mooring.log.Encryption;
import dev.mooring.log.LogInspector;
import dev.mooring.log.LogPosition;
import dev.mooring.log.LogRewrite;
import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;

/**
 * Rewrites a log, appends an event that records it, and verifies the result before it replaces the old log. Not
 * thread-safe.
 *
 * @param source encryption of the old log
 * @param target encryption of the new log; must be able to decrypt all of it
 * @param actor the actor of the event
 * @param progress receives the number of bytes verified so far
 */
public record VerifiedRewrite(
        Disk disk,
        Path directory,
        Clock clock,
        Encryption source,
        Encryption target,
        String actor,
        LongConsumer progress) {
    private static final String NAMESPACE = "kube-system";
    private static final String COMPONENT = "mooring-log";

    /** Reserve for growth through stubs that are longer than the content, and through encryption. */
    private static final int GROWTH_DIVISOR = 8;

    private static final long LEAST_ROOM = 1 << 20;

    /**
     * The rewritten files.
     *
     * @param bytes their current size
     */
    public record Extent(int segments, int snapshots, long bytes) {}

    /** Returns the files that a rewrite from a revision on affects. */
    static Extent extent(LogInspector log, long from) throws IOException {
        List<LogInspector.SegmentInfo> segments = log.segments().stream()
                .filter(segment -> segment.firstRevision() >= from)
                .toList();
        List<Long> snapshots = log.snapshots().revisions().stream()
                .filter(revision -> revision >= from - 1)
                .toList();
        long bytes =
                segments.stream().mapToLong(LogInspector.SegmentInfo::bytes).sum();
        for (long revision : snapshots) {
            bytes += log.snapshots().size(revision);
        }
        return new Extent(segments.size(), snapshots.size(), bytes);
    }

    /**
     * Rewrites everything with the encryption of {@link #target}.
     *
     * @throws IOException if the log is in use, damaged, or there is no space for a second copy; the log is unchanged
     *     then
     */
    public Extent reencrypt() throws IOException {
        try (LogRewrite rewrite = LogRewrite.begin(disk, directory, clock)) {
            long from =
                    new LogInspector(disk, directory, source).segments().get(0).firstRevision();
            String to = target.keyId() == 0 ? "in clear" : "encrypted with key " + target.keyId();
            return run(
                    rewrite,
                    from,
                    UnaryOperator.identity(),
                    EventReasons.LOG_REENCRYPTED,
                    "Secrets in the log are now " + to);
        }
    }

    /**
     * Rewrites a locked log, from the first revision of one of its segments on.
     *
     * @param edit returns the new object; the same object if nothing changes
     */
    Extent run(LogRewrite rewrite, long from, UnaryOperator<StoredObject> edit, String type, String message)
            throws IOException {
        requireRoom(extent(new LogInspector(disk, directory, source), from).bytes());
        LogPosition[] end = new LogPosition[1];
        rewrite.write(from, source, target, edit, before -> {
            end[0] = before;
            return event(before, type, message);
        });
        LogInspector written = rewrite.rewritten(target);
        LogVerifier.Report report = new LogVerifier(written, progress).verify();
        boolean complete = report.isValid()
                && report.missingKeys().isEmpty()
                && report.end().map(LogPosition::revision).equals(Optional.of(end[0].revision() + 1));
        if (!complete) {
            throw new IOException("Failed to verify the rewritten log; the log is unchanged. Found: " + report);
        }
        Extent extent = extent(written, from);
        rewrite.commit();
        return extent;
    }

    private void requireRoom(long bytes) throws IOException {
        long needed = bytes + bytes / GROWTH_DIVISOR + LEAST_ROOM;
        long usable = disk.usableSpace(directory);
        if (usable < needed) {
            throw new FileSystemException(
                    directory.toString(),
                    null,
                    "the log is copied before the old copy is deleted: this needs " + needed + " bytes, but only "
                            + usable + " are free; next: make room on that file system");
        }
    }

    /** Returns the event that records the rewrite. Its message contains its revision, so no equal Event exists yet. */
    private Event event(LogPosition before, String type, String message) {
        long revision = before.revision() + 1;
        Instant now = Instant.ofEpochMilli(Math.max(clock.millis(), before.timeMillis()));
        KubeEvent kubeEvent = KubeEvent.normal(
                new KubeEvent.InvolvedObject("v1", "Namespace", NAMESPACE, NAMESPACE, "", Long.toString(revision)),
                type,
                "Log rewritten at revision " + revision + ": " + message,
                COMPONENT);
        String uid = UUID.nameUUIDFromBytes((kubeEvent.key() + "@" + now).getBytes(StandardCharsets.UTF_8))
                .toString();
        StoredObject object = kubeEvent.toEvent(Optional.empty(), now, uid).at(revision);
        return new Event(revision, now, type, actor, Cause.none(), List.of(Change.put(object, 0)));
    }
}
