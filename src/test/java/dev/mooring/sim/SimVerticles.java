package dev.mooring.sim;

import dev.mooring.control.Controller;
import dev.mooring.control.EffectExecutor;
import java.util.function.Supplier;

/** Runs controllers like a server's supervisor: each in its own loop, which is restarted after it was killed. */
public interface SimVerticles {
    void run(String name, Supplier<? extends Controller> controllers, EffectExecutor effects);

    /** Runs a controller that proposes only. */
    default void run(String name, Supplier<? extends Controller> controllers) {
        run(name, controllers, EffectExecutor.NONE);
    }
}
