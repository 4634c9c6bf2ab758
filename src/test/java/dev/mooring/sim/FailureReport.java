package dev.mooring.sim;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.sim.Plan.Act;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What is told of a life that went wrong: how to see it again, what went wrong, and how little of it suffices. */
final class FailureReport {
    private static final Path DIRECTORY = Path.of("build", "chaos");

    private FailureReport() {}

    /** @param least the same life with as little as possible in it */
    static List<String> of(Life.Outcome failed, Life.Outcome least) {
        long seed = failed.plan().seed();
        List<String> lines = new ArrayList<>();
        lines.add("seed " + seed + ", step " + failed.steps() + ", " + failed.where() + ": "
                + failed.finding().orElseThrow());
        int length = failed.plan().length();
        lines.add("again: make chaos SEED=" + seed + (length == Plan.ACTS ? "" : " ACTS=" + length));
        Path data = DIRECTORY.resolve("seed-" + seed);
        try {
            least.store().save(data);
            lines.add("log: build/install/mooring/bin/mooring log cat --data " + data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        lines.add("with only " + least.plan().acts().size() + " of " + length + " acts: "
                + least.finding().orElseThrow());
        for (Act act : least.plan().acts()) {
            lines.add("  act " + act.number() + " " + act.deed() + ", then up to " + act.steps() + " steps");
        }
        lines.add("acts in words:");
        least.diary().forEach(each -> lines.add("  " + each));
        lines.add("the last events of it:");
        for (Event event : least.latest()) {
            lines.add("  " + line(event));
        }
        return lines;
    }

    private static String line(Event event) {
        StringBuilder text = new StringBuilder()
                .append(event.revision())
                .append(' ')
                .append(event.time())
                .append(' ')
                .append(event.type())
                .append(" by ")
                .append(event.actor());
        for (Change change : event.changes()) {
            text.append(' ').append(change.key());
        }
        return text.toString();
    }
}
