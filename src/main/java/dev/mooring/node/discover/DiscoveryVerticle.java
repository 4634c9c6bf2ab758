package dev.mooring.node.discover;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.function.Consumer;

/**
 * Gives a {@link Discovery} its thread. Stopping does not wait for it: it may be stuck in a disk, and writes nothing down once it is
 * stopped.
 */
public final class DiscoveryVerticle extends VerticleBase {
    private final Discovery discovery;
    private final Consumer<Throwable> died;
    private final Thread thread = new Thread(this::work, "mooring-discovery");
    private volatile boolean stopped;

    /**
     * @param discovery for this verticle alone
     * @param died told when the thread ends though nobody stopped it
     */
    public DiscoveryVerticle(Discovery discovery, Consumer<Throwable> died) {
        this.discovery = discovery;
        this.died = died;
        thread.setDaemon(true);
    }

    /** Up at once: a disk that does not answer must hold up nobody. */
    @Override
    public Future<?> start() {
        thread.start();
        return Future.succeededFuture();
    }

    @Override
    public Future<?> stop() {
        stopped = true;
        thread.interrupt();
        return Future.succeededFuture();
    }

    private void work() {
        try {
            discovery.run(() -> stopped);
        } catch (Throwable e) {
            if (!stopped) {
                died.accept(e);
            }
        }
    }
}
