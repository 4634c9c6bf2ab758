package dev.mooring.node.volumemanager;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.function.Consumer;

/**
 * Runs a {@link LocalVolumeDiscovery} on its own thread. Stopping does not wait for the thread: it may hang on a disk,
 * and writes nothing after the stop.
 */
public final class DiscoveryVerticle extends VerticleBase {
    private final LocalVolumeDiscovery discovery;
    private final Consumer<Throwable> died;
    private final Thread thread = new Thread(this::work, "mooring-discovery");
    private volatile boolean stopped;

    /**
     * Creates a verticle.
     *
     * @param discovery used by this verticle only
     * @param died called if the thread ends without a stop
     */
    public DiscoveryVerticle(LocalVolumeDiscovery discovery, Consumer<Throwable> died) {
        this.discovery = discovery;
        this.died = died;
        thread.setDaemon(true);
    }

    /** Completes at once: an unresponsive disk must not delay the start. */
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
