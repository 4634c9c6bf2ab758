package dev.mooring.chaos.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.LogInspector;
import dev.mooring.log.RealDisk;
import dev.mooring.replay.LogVerifier;
import dev.mooring.world.World;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bad input, and much of it: whatever a client sends, the server answers in time and with no error of its own, and what it keeps of it is
 * what its own rules let in. {@code mooring.seed} decides what is sent; {@code mooring.fuzz.requests} and {@code mooring.fuzz.first} how
 * much of it, and from where on.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@Tag("chaos")
class ApiFuzzTest {
    private static final Logger LOG = LoggerFactory.getLogger(ApiFuzzTest.class);
    private static final long SEED = Long.getLong("mooring.seed", 7);
    private static final int REQUESTS = Integer.getInteger("mooring.fuzz.requests", 100_000);
    private static final long FIRST = Long.getLong("mooring.fuzz.first", 0);
    private static final int ROUND = 10_000;

    /** Fewer say nothing about the mixture. */
    private static final int REPRESENTATIVE = 5_000;

    /** A fuzzer that is refused at the door finds nothing behind it. */
    private static final int LEAST_SUCCESSES = 25;

    private final List<String> problems = new ArrayList<>();

    @TempDir
    private Path data;

    @Test
    void noRequestMakesTheServerFailOrHangOrKeepWhatItWouldNotLetIn() throws Exception {
        try (LogEar ear = LogEar.listening()) {
            World last;
            try (FuzzServer server = FuzzServer.start(data)) {
                attack(server);
                last = server.server().spine().ledger().world();
            }
            problems.addAll(new LogVerifier(new LogInspector(new RealDisk(), data.resolve("log")), bytes -> {})
                    .verify()
                    .problems());
            startAgain(last);
            problems.addAll(ear.findings());
            ear.others().forEach(warning -> LOG.debug("The server warned, as it should: {}", warning));
        }
        assertThat(problems)
                .as("seed %d, %d requests from number %d on", SEED, REQUESTS, FIRST)
                .isEmpty();
    }

    private void attack(FuzzServer server) throws IOException, InterruptedException {
        Fuzzer fuzzer = new Fuzzer(SEED, server.port(), server.tokens());
        WorldCheck check = new WorldCheck(new RequestGrammar(SEED).kinds());
        long busy = 0;
        long end = FIRST + REQUESTS;
        for (long from = FIRST; from < end && problems.isEmpty(); from += ROUND) {
            server.prepare();
            long start = System.nanoTime();
            fuzzer.run(from, Math.min(end, from + ROUND));
            busy += System.nanoTime() - start;
            problems.addAll(fuzzer.problems());
            look(server, check);
        }
        World world = server.server().spine().ledger().world();
        // At this level, so that it is seen: what a run reached is as telling as that it passed.
        LOG.warn(
                "{} objects at revision {}; {}",
                world.size(),
                world.revision(),
                fuzzer.tally().report(busy / 1_000_000));
        problems.addAll(check.replacedByThemselves(world, server.port(), server.admin()));
        if (REQUESTS >= REPRESENTATIVE) {
            assertThat(fuzzer.tally().share(2))
                    .as("answers of 2xx in a hundred")
                    .isGreaterThan(LEAST_SUCCESSES);
        }
    }

    private void look(FuzzServer server, WorldCheck check) throws IOException {
        World world = server.server().spine().ledger().world();
        problems.addAll(check.problems(world));
        problems.addAll(new Renderings(new RequestGrammar(SEED).kinds(), server.port(), server.admin()).problems());
    }

    /** What was acknowledged is there, and the controllers can live with it once more. */
    private void startAgain(World last) throws IOException {
        try (FuzzServer again = FuzzServer.start(data)) {
            World opened = again.server().spine().history().at(last.revision());
            if (!opened.equals(last)) {
                problems.add("Expected the World of before after a restart, but it is another one");
            }
            look(again, new WorldCheck(new RequestGrammar(SEED).kinds()));
        }
    }
}
