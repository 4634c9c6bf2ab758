package dev.mooring.sim;

import dev.mooring.control.Controller;
import java.util.function.Supplier;

/** Runs controllers like a server's supervisor: each in its own loop, which is restarted after it was killed. */
public interface SimVerticles {
    void run(String name, Supplier<? extends Controller> controllers);
}
