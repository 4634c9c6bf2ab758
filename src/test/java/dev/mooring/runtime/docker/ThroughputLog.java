package dev.mooring.runtime.docker;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the throughput of a transfer; nothing is asserted. */
final class ThroughputLog {
    private static final Logger LOG = LoggerFactory.getLogger(ThroughputLog.class);

    private ThroughputLog() {}

    static void report(String transfer, long bytes, long nanos) {
        LOG.info("{}: {} MB in {} ms, {} MB/s", transfer, bytes >> 20, nanos / 1_000_000, bytes * 1000 / nanos);
    }
}
