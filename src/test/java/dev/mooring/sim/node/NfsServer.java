package dev.mooring.sim.node;

/** An NFS server, as its clients see it. */
final class NfsServer {
    /** How it is. */
    enum State {
        UP,
        /** Nobody answers. */
        DOWN,
        SLOW,
        /** It answers, and permits nothing. */
        REFUSING,
        /** It answers, and has no such path. */
        ELSEWHERE
    }

    private final String name;
    private State state = State.UP;

    NfsServer(String name) {
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
