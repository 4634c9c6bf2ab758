package dev.mooring.node.status;

/** The status of the node's container engine. */
public sealed interface RuntimeStatus {
    /** The node runs no containers. */
    record Disabled() implements RuntimeStatus {}

    /** Not determined yet; the Node keeps its previous status. */
    record Unknown() implements RuntimeStatus {}

    /**
     * The engine responds.
     *
     * @param version such as docker://20.10.24
     */
    record Present(String version) implements RuntimeStatus {}

    /**
     * The engine does not respond.
     *
     * @param reason human-readable
     */
    record Absent(String reason) implements RuntimeStatus {}
}
