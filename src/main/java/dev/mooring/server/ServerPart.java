package dev.mooring.server;

/** A part of the server that can be disabled, to set up states by hand or to examine other parts alone. */
public enum ServerPart {
    /** The controllers. */
    CONTROL,
    /** The node's volume manager. */
    NODE,
    /** The Pod manager. */
    PODS
}
