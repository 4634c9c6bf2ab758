package dev.mooring.runtime.docker.stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How fast it went, for who looks. */
final class Measured {
    private static final Logger LOG = LoggerFactory.getLogger(Measured.class);

    private Measured() {}

    static void report(String what, long bytes, long nanos) {
        LOG.info("{}: {} MB in {} ms, {} MB/s", what, bytes >> 20, nanos / 1_000_000, bytes * 1000 / nanos);
    }
}
