package dev.mooring.sim.node;

/** An NFS server, as its clients see it. */
final class SimNfsServer {
    /** State of the server. */
    enum State {
        UP,
        /** The server does not respond. */
        DOWN,
        SLOW,
        /** The server denies access. */
        REFUSING,
        /** The server responds but has no such export. */
        NO_SUCH_EXPORT
    }

    private final String name;
    private State state = State.UP;

    SimNfsServer(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    State state() {
        return state;
    }

    void set(State now) {
        state = now;
    }
}
