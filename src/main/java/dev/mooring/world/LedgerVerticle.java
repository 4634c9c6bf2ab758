package dev.mooring.world;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the ledger its thread. The thread is not an event loop, since it waits for the disk; the ledger outlives the verticle, so
 * that a new one goes on where a killed one was.
 */
public final class LedgerVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerVerticle.class);

    private final Ledger ledger;
    private final Consumer<Throwable> died;
    private final Promise<Void> ready = Promise.promise();
    private final Promise<Void> ended = Promise.promise();
    private final Thread thread = new Thread(this::work, "mooring-ledger");

    private volatile boolean stopped;

    /** @param died told when the thread ends though nobody stopped it */
    public LedgerVerticle(Ledger ledger, Consumer<Throwable> died) {
        this.ledger = ledger;
        this.died = died;
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

    /** Ends the thread wherever it is, as a crash would. */
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
                                "Mooring is read-only from now on. {}",
                                ledger.readOnly().get());
                ready.tryComplete();
            } else if (!ready.tryFail(e)) {
                died.accept(e);
            }
        } finally {
            ended.complete();
        }
    }
}
