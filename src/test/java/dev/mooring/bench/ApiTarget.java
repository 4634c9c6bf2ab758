package dev.mooring.bench;

import java.io.IOException;

/** A process on this machine that answers HTTP/1.1 over TLS, and whose processor time can be seen. */
interface ApiTarget {
    int port();

    long cpuNanos() throws IOException;
}
