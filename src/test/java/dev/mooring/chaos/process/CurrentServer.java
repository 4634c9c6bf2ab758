package dev.mooring.chaos.process;

import java.util.Optional;

/** The running server process that clients must use. Any thread may read it; one thread sets it. */
final class CurrentServer {
    private Optional<ServerApi> current = Optional.empty();
    private boolean ended;

    synchronized void started(ServerApi api) {
        current = Optional.of(api);
        notifyAll();
    }

    /** Must be called before the server is killed: a connection lost without this call is an error of the server. */
    synchronized void stopping() {
        current = Optional.empty();
    }

    /** Makes all clients end. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** Waits for a server and returns it; empty after {@link #end}. */
    synchronized Optional<ServerApi> await() throws InterruptedException {
        while (current.isEmpty() && !ended) {
            wait();
        }
        return ended ? Optional.empty() : current;
    }

    synchronized boolean isEnded() {
        return ended;
    }

    synchronized boolean isCurrent(ServerApi api) {
        return current.isPresent() && current.get().incarnation() == api.incarnation();
    }
}
