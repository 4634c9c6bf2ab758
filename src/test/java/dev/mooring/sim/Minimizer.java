package dev.mooring.sim;

import dev.mooring.sim.Plan.Act;
import java.util.ArrayList;
import java.util.List;

/** Leaves out of a life that went wrong whatever can be left out, as long as it still goes wrong in the same way. */
final class Minimizer {
    private final int attempts;
    private int made;

    /** @param attempts lives it may take */
    Minimizer(int attempts) {
        this.attempts = attempts;
    }

    Life.Outcome minimize(Life.Outcome failed) {
        String invariant = failed.finding().orElseThrow().invariant();
        Life.Outcome best = upTo(failed, invariant);
        for (int chunk = Math.max(1, best.plan().acts().size() / 2); chunk >= 1; chunk /= 2) {
            int at = 0;
            while (at < best.plan().acts().size() && made < attempts) {
                List<Act> fewer = new ArrayList<>(best.plan().acts());
                fewer.subList(at, Math.min(at + chunk, fewer.size())).clear();
                Life.Outcome tried = live(best.plan().with(fewer));
                if (isSame(tried, invariant)) {
                    best = tried;
                } else {
                    at += chunk;
                }
            }
        }
        return best;
    }

    /** What came after it went wrong is of no interest. */
    private Life.Outcome upTo(Life.Outcome failed, String invariant) {
        List<Act> acts = failed.plan().acts();
        if (failed.act() < 0 || failed.act() + 1 >= acts.size()) {
            return failed;
        }
        Life.Outcome tried = live(failed.plan().with(acts.subList(0, failed.act() + 1)));
        return isSame(tried, invariant) ? tried : failed;
    }

    private Life.Outcome live(Plan plan) {
        made++;
        return new Life(plan).live();
    }

    private static boolean isSame(Life.Outcome tried, String invariant) {
        return tried.finding()
                .filter(each -> each.invariant().equals(invariant))
                .isPresent();
    }
}
