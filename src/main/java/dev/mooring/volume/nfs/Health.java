package dev.mooring.volume.nfs;

/**
 * How a mounted volume is. Immutable.
 *
 * @param words what was found and what to do next, for people; "" if all is well
 * @param raw what the machine said
 */
public record Health(State state, String words, String raw) {
    public static final Health FINE = new Health(State.OK, "", "");

    /** What matters to whoever uses it. */
    public enum State {
        OK,
        /** The server answers, but what is mounted is no longer there; only a new mount helps. */
        STALE,
        /** The server does not answer; all is well again when it does. */
        UNREACHABLE,
        /** It answers with an error. */
        FAILED
    }

    public boolean isFine() {
        return state == State.OK;
    }
}
