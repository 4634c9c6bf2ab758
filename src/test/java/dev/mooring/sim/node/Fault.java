package dev.mooring.sim.node;

/** What can happen to a call instead of its simply being done. */
public enum Fault {
    /** Nothing is done. */
    FAILS("fails"),
    /** It is done, and the caller hears of a failure. */
    HALF_DONE("fails afterwards"),
    /** It is done after a while. */
    SLOW("is slow"),
    /** Nothing is done, for long; an interrupt ends it. */
    HANGS("hangs"),
    /** It is done, and the caller does not hear of it for long; an interrupt ends it. */
    HANGS_AFTERWARDS("hangs afterwards"),
    /** It is done after very long, whoever interrupts. */
    STUCK("is stuck");

    private final String words;

    Fault(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }
}
