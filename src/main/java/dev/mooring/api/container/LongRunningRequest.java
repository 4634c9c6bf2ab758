package dev.mooring.api.container;

/** A stream that continues after its response started, and needs periodic checks. Confined to one event loop. */
interface LongRunningRequest {
    /** Checks periodically that the user still has permission and that the client is still connected. */
    void tick();

    /** Ends the stream when the server stops. */
    void shutDown();
}
