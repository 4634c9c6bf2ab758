package dev.mooring.world;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the ledger on its own thread, which is not an event loop because it waits for the disk. The ledger outlives the
 * verticle, so that a new verticle continues after a killed one.
 */
public final class LedgerVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerVerticle.class);

    private final Ledger ledger;
    private final Consumer<Throwable> onFailure;
    private final Promise<Void> ready = Promise.promise();
    private final Promise<Void> ended = Promise.promise();
    private final Thread thread = new Thread(this::work, "mooring-ledger");

    private volatile boolean stopped;

    /** @param onFailure receives the failure if the thread ends without being stopped */
    public LedgerVerticle(Ledger ledger, Consumer<Throwable> onFailure) {
        this.ledger = ledger;
        this.onFailure = onFailure;
    }

    @Override
    public Future<?> start() {
        thread.start();
        return ready.future();
    }

    @Override
    public Future<?> stop() {
        stopped = true;
        ledger.wakeUp();
        return ended.future();
    }

    /** Interrupts the thread at any point, as a crash would. */
    public void kill() {
        thread.interrupt();
    }

    private void work() {
        try {
            ledger.run(ready::tryComplete, () -> stopped);
        } catch (Throwable e) {
            if (ledger.readOnly().isPresent()) {
                LOG.atError()
                        .log(
                                "Log failed; Mooring is read-only: {}",
                                ledger.readOnly().get());
                ready.tryComplete();
            } else if (!ready.tryFail(e)) {
                onFailure.accept(e);
            }
        } finally {
            ended.complete();
        }
    }
}
