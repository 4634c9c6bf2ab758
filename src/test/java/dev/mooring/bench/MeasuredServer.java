package dev.mooring.bench;

import java.io.IOException;

/** A local server process with HTTP/1.1 over TLS whose processor time is measured. */
interface MeasuredServer {
    int port();

    long cpuNanos() throws IOException;
}
