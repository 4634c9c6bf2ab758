package dev.mooring.sim;

import dev.mooring.control.Controller;
import java.util.function.Supplier;

/** Runs controllers as a server's supervisor does: each in a loop of its own, replaced by a new one when it is killed. */
public interface Verticles {
    void run(String name, Supplier<? extends Controller> controllers);
}
