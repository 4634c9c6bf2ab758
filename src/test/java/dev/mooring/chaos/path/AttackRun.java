package dev.mooring.chaos.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.PathException;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.work.UsageException;
import dev.mooring.volume.work.VolumeWorkException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats an operation while attackers replace parts of its paths. The operation may succeed or fail with a known
 * exception; it may not hang, throw another exception, or reveal content of the protected files. For one test.
 */
final class AttackRun implements AutoCloseable {
    /** Duration of all attack runs together, in seconds. */
    private static final int SECONDS = Integer.getInteger("mooring.chaos.seconds", 13);

    private static final int RUNS = 20;
    private static final int MIN_ROUNDS = 40;
    private static final Duration MAX_DURATION = Duration.ofMinutes(3);
    private static final Duration HANG_TIMEOUT = Duration.ofMinutes(5);

    /** Result of a round. */
    enum RoundResult {
        UNDISTURBED,
        /** The operation detected the attack and did less. */
        DISTURBED
    }

    /** The operation, run once per round. */
    interface AttackedOperation {
        RoundResult run(int round) throws Exception;
    }

    private static final Logger LOG = LoggerFactory.getLogger(AttackRun.class);

    private final String name;
    private final Path place;
    private final ProtectedFiles protectedFiles;
    private final long seed;
    private final List<Attacker> attackers = new ArrayList<>();
    private int rounds;
    private int undisturbed;
    private int disturbed;

    /** @param place the directory in which the operation works; must not contain the protected files */
    AttackRun(String name, Path place, ProtectedFiles protectedFiles) {
        this.name = name;
        this.place = place;
        this.protectedFiles = protectedFiles;
        this.seed = Long.getLong("mooring.seed", 7);
    }

    AttackRun attack(Path target, Set<Decoy> decoys) throws IOException {
        Path stage = Files.createDirectories(place.resolveSibling("stage-" + attackers.size()));
        attackers.add(new Attacker(protectedFiles, stage, target, decoys, seed + attackers.size()));
        return this;
    }

    /** Runs the rounds. Some must succeed and some must be disturbed by an attack; otherwise the run proves nothing. */
    void run(AttackedOperation operation) throws Exception {
        Throwable[] failure = {null};
        Thread thread = new Thread(() -> failure[0] = repeat(operation), "attacked " + name);
        thread.setDaemon(true);
        attackers.forEach(Attacker::start);
        thread.start();
        thread.join(TimeUnit.SECONDS.toMillis(SECONDS) + HANG_TIMEOUT.toMillis());
        List<StackTraceElement> where = thread.isAlive() ? Arrays.asList(thread.getStackTrace()) : List.of();
        for (Attacker each : attackers) {
            each.close();
        }
        assertThat(where).as("%s: stack of the hanging operation", this).isEmpty();
        if (failure[0] != null) {
            throw new AssertionError(this + ": " + failure[0], failure[0]);
        }
        protectedFiles.assertUnchanged(toString());
        protectedFiles.assertNotLeakedBelow(place, toString());
        assertThat(undisturbed).as("%s: undisturbed rounds", this).isPositive();
        assertThat(disturbed).as("%s: disturbed rounds", this).isPositive();
        assertThat(swaps()).as("%s: swaps", this).isGreaterThan(MIN_ROUNDS);
        LOG.info("{}", this);
    }

    private Throwable repeat(AttackedOperation operation) {
        long start = System.nanoTime();
        try {
            while (continues(Duration.ofNanos(System.nanoTime() - start))) {
                runRound(operation);
                if (rounds % 64 == 0) {
                    protectedFiles.assertUnchanged(toString());
                }
            }
        } catch (Exception | AssertionError e) {
            return e;
        }
        return null;
    }

    private boolean continues(Duration elapsed) {
        if (elapsed.compareTo(MAX_DURATION.plusSeconds(SECONDS / RUNS)) > 0) {
            return false;
        }
        boolean enough = rounds >= MIN_ROUNDS && undisturbed > 0 && disturbed > 0 && swaps() > MIN_ROUNDS;
        return !enough || elapsed.toMillis() < TimeUnit.SECONDS.toMillis(SECONDS) / RUNS;
    }

    private long swaps() {
        return attackers.stream().mapToLong(Attacker::swaps).sum();
    }

    private void runRound(AttackedOperation operation) throws Exception {
        rounds++;
        try {
            if (operation.run(rounds) == RoundResult.UNDISTURBED) {
                undisturbed++;
            } else {
                disturbed++;
            }
        } catch (Exception e) {
            disturbed++;
            assertThat(messageOf(e).orElseThrow(() -> e))
                    .as("%s", this)
                    .isNotBlank()
                    .doesNotContain(ProtectedFiles.SECRET);
        }
    }

    /** Returns the message of an expected exception; empty for other exceptions. */
    private static Optional<String> messageOf(Exception e) {
        if (e instanceof VolumeException volume) {
            return Optional.of(volume.getMessage() + volume.raw());
        }
        if (e instanceof VolumeWorkException work) {
            return Optional.of(work.getMessage() + work.raw());
        }
        return e instanceof PathException || e instanceof UsageException
                ? Optional.of(String.valueOf(e.getMessage()))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return name + " (round " + rounds + ", " + undisturbed + " undisturbed, " + disturbed + " disturbed, " + swaps()
                + " swaps, -Dmooring.seed=" + seed + ")";
    }

    /** Unmounts everything below the parent of the place. */
    @Override
    public void close() throws Exception {
        unmountBelow(place.getParent());
    }

    static void unmountBelow(Path path) throws IOException, InterruptedException {
        List<MountTable.Mount> left = MountTable.read().below(path);
        for (int i = left.size() - 1; i >= 0; i--) {
            HostMachine.run("umount", "-l", left.get(i).point());
        }
    }
}
