package dev.mooring.cli.supervise;

/** Handed to each new instance of a verticle, to report its own death. May be called from any thread, any number of times. */
@FunctionalInterface
public interface Supervision {
    /** This instance cannot go on and wants to be replaced. Ignored when it already has been. */
    void died(Throwable cause);
}
