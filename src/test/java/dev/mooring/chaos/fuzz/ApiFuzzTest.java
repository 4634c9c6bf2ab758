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
 * Sends random requests, many of them invalid: the server responds in time and without an internal error, and stores
 * only objects that its own rules allow. {@code mooring.seed} determines the requests; {@code mooring.fuzz.requests} is
 * their number and {@code mooring.fuzz.first} the first one.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@Tag("chaos")
class ApiFuzzTest {
    private static final Logger LOG = LoggerFactory.getLogger(ApiFuzzTest.class);
    private static final long SEED = Long.getLong("mooring.seed", 7);
    private static final int REQUESTS = Integer.getInteger("mooring.fuzz.requests", 25_000);
    private static final long FIRST = Long.getLong("mooring.fuzz.first", 0);
    private static final int ROUND = 10_000;

    /** Minimum number of requests for the statistics to be meaningful. */
    private static final int MIN_FOR_STATISTICS = 5_000;

    /** Minimum percentage of successes: requests that are refused early test little. */
    private static final int MIN_SUCCESS_PERCENT = 25;

    private final List<String> problems = new ArrayList<>();

    @TempDir
    private Path data;

    @Test
    void server_randomRequests_neverFailsHangsOrStoresInvalidObjects() throws Exception {
        try (LogCollector logs = LogCollector.startCollecting()) {
            World last;
            try (FuzzServer server = FuzzServer.start(data)) {
                attack(server);
                last = server.server().stateStore().ledger().world();
            }
            problems.addAll(new LogVerifier(new LogInspector(new RealDisk(), data.resolve("log")), bytes -> {})
                    .verify()
                    .problems());
            restart(last);
            problems.addAll(logs.findings());
            logs.others().forEach(warning -> LOG.debug("Expected warning of the server: {}", warning));
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
            checkWorld(server, check);
        }
        World world = server.server().stateStore().ledger().world();
        // A warning, so that it is shown: the coverage of a run matters as much as its result.
        LOG.warn(
                "{} objects at revision {}; {}",
                world.size(),
                world.revision(),
                fuzzer.stats().report(busy / 1_000_000));
        problems.addAll(check.replacedByThemselves(world, server.port(), server.admin()));
        if (REQUESTS >= MIN_FOR_STATISTICS) {
            assertThat(fuzzer.stats().share(2))
                    .as("percentage of 2xx responses")
                    .isGreaterThan(MIN_SUCCESS_PERCENT);
        }
    }

    private void checkWorld(FuzzServer server, WorldCheck check) throws IOException {
        World world = server.server().stateStore().ledger().world();
        problems.addAll(check.problems(world));
        problems.addAll(
                new OutputFormsCheck(new RequestGrammar(SEED).kinds(), server.port(), server.admin()).problems());
    }

    /** Restarts the server; the World must be the same, and the controllers must accept it. */
    private void restart(World last) throws IOException {
        try (FuzzServer restarted = FuzzServer.start(data)) {
            World restored = restarted.server().stateStore().history().at(last.revision());
            if (!restored.equals(last)) {
                problems.add("The World after a restart differs from the World before");
            }
            checkWorld(restarted, new WorldCheck(new RequestGrammar(SEED).kinds()));
        }
    }
}
