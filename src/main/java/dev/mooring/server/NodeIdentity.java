package dev.mooring.server;

/** What to do if the data directory belongs to another node or machine. */
public enum NodeIdentity {
    /** Refuse to start. */
    KEEP,
    /** Continue as the recorded node on this machine. */
    ADOPT,
    /** Delete the recorded node and register this machine as a new one. */
    NEW
}
