package dev.mooring.chaos.process;

import java.util.Optional;

/** Tells the clients which life of the server to talk to. Any thread may ask; one tells. */
final class Lives {
    private Optional<Api> current = Optional.empty();
    private boolean over;

    synchronized void began(Api api) {
        current = Optional.of(api);
        notifyAll();
    }

    /** To be told before it is killed: whoever loses a connection while this has not been told has found a mistake of the server. */
    synchronized void ends() {
        current = Optional.empty();
    }

    /** Has all clients end. */
    synchronized void over() {
        over = true;
        notifyAll();
    }

    /** The server, as soon as there is one; nothing once all is over. */
    synchronized Optional<Api> await() throws InterruptedException {
        while (current.isEmpty() && !over) {
            wait();
        }
        return over ? Optional.empty() : current;
    }

    synchronized boolean isOver() {
        return over;
    }

    synchronized boolean lives(Api api) {
        return current.isPresent() && current.get().life() == api.life();
    }
}
