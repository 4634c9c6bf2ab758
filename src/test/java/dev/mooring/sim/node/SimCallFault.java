package dev.mooring.sim.node;

/** Ways in which a simulated call can fail. */
public enum SimCallFault {
    /** The call fails without effect. */
    FAILS("fails"),
    /** The call takes effect but fails. */
    HALF_DONE("fails afterwards"),
    /** The call takes effect after a delay. */
    SLOW("is slow"),
    /** The call blocks for a long time without effect; interruptible. */
    HANGS("hangs"),
    /** The call takes effect and then blocks for a long time; interruptible. */
    HANGS_AFTERWARDS("hangs afterwards"),
    /** The call takes effect after a very long time; not interruptible. */
    STUCK("is stuck");

    private final String description;

    SimCallFault(String description) {
        this.description = description;
    }

    @Override
    public String toString() {
        return description;
    }
}
