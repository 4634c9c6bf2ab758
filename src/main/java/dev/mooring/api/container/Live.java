package dev.mooring.api.container;

/** Something that goes on after its request was answered, and is looked after. For one event loop. */
interface Live {
    /** Called now and then: whether its user may still have it, and its client is still there. */
    void tick();

    /** Ends it, as a server does that stops. */
    void shutDown();
}
