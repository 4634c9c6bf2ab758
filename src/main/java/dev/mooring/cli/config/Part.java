package dev.mooring.cli.config;

/** A part of the server that can be left out, to lay down states by hand or to look at one part alone. */
public enum Part {
    /** The controllers. */
    CONTROL,
    /** The node's volume manager. */
    NODE,
    /** The driver of Pods. */
    PODS
}
