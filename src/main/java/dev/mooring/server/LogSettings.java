package dev.mooring.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** Event log settings. Empty retention limits keep everything; without a key file nothing is encrypted. */
public record LogSettings(
        LogKind kind,
        long segmentBytes,
        long snapshotEveryBytes,
        Duration snapshotEvery,
        Optional<Duration> retentionMaxAge,
        OptionalLong retentionMaxBytes,
        int batchMaxRecords,
        int batchMaxBytes,
        Optional<Path> encryptionKeyFile) {

    /** Storage of the log. */
    public enum LogKind {
        FILE
    }
}
