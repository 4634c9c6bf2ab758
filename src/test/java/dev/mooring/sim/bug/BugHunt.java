package dev.mooring.sim.bug;

import dev.mooring.sim.Seeds;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Plants one bug after another and lives until each is found. A program of its own: the classes of this JVM are not to be trusted afterwards.
 *
 * <p>Prints a line for each: {@code found NAME after N lives (I4: what)} or {@code missed NAME in N lives}. Arguments are names of bugs; none means all.
 */
public final class BugHunt {
    private BugHunt() {}

    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        Seeds.quietly();
        List<String> wanted = List.of(args);
        for (Bug bug : Bugs.ALL) {
            if (wanted.isEmpty() || wanted.contains(bug.name())) {
                out.println(hunt(bug));
            }
        }
        // Threads of lives that a bug has left hanging wait for nobody.
        System.exit(0);
    }

    private static String hunt(Bug bug) {
        try (Bug.Planted unused = bug.plant()) {
            for (int life = 1; life <= bug.within(); life++) {
                Optional<String> found = Seeds.findingOf(life);
                if (found.isPresent()) {
                    return "found " + bug.name() + " after " + life + " lives (" + found.get() + ")";
                }
            }
            return "missed " + bug.name() + " in " + bug.within() + " lives";
        }
    }
}
