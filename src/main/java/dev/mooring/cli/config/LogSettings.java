package dev.mooring.cli.config;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** How the event log is kept on disk. Empty retention limits keep everything. */
public record LogSettings(
        Kind kind,
        long segmentBytes,
        long snapshotEveryBytes,
        Duration snapshotEvery,
        Optional<Duration> retentionMaxAge,
        OptionalLong retentionMaxBytes,
        int batchMaxRecords,
        int batchMaxBytes) {

    /** Where the log lives. */
    public enum Kind {
        FILE
    }
}
