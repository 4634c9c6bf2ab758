package dev.mooring.chaos.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.usage.UsageException;
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
 * An operation that is repeated while attackers bend its paths. It may succeed or say why not; it may not hang, throw anything else, or say a
 * word of the treasure. For one test.
 */
final class Siege implements AutoCloseable {
    /** For all sieges of one run, in seconds. */
    private static final int SECONDS = Integer.getInteger("mooring.chaos.seconds", 13);

    private static final int SIEGES = 20;
    private static final int MIN_ROUNDS = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(45);
    private static final Duration HANGING = Duration.ofSeconds(60);

    /** How a round ended. */
    enum End {
        AS_IF_ALONE,
        /** It noticed the attack, and did less. */
        DISTURBED
    }

    /** One round. */
    interface Operation {
        End run(int round) throws Exception;
    }

    private static final Logger LOG = LoggerFactory.getLogger(Siege.class);

    private final String name;
    private final Path place;
    private final Treasure treasure;
    private final long seed;
    private final List<Attacker> attackers = new ArrayList<>();
    private int rounds;
    private int undisturbed;
    private int refused;

    /** @param place where the operation works; the treasure is not below it */
    Siege(String name, Path place, Treasure treasure) {
        this.name = name;
        this.place = place;
        this.treasure = treasure;
        this.seed = Long.getLong("mooring.seed", 7);
    }

    Siege attack(Path victim, Set<Decoy> decoys) throws IOException {
        Path stage = Files.createDirectories(place.resolveSibling("stage-" + attackers.size()));
        attackers.add(new Attacker(treasure, stage, victim, decoys, seed + attackers.size()));
        return this;
    }

    /** Both must be seen: rounds that went through, and rounds in which an attack fell into the window. */
    void run(Operation operation) throws Exception {
        Throwable[] failure = {null};
        Thread thread = new Thread(() -> failure[0] = repeat(operation), "besieged " + name);
        thread.setDaemon(true);
        attackers.forEach(Attacker::start);
        thread.start();
        thread.join(TimeUnit.SECONDS.toMillis(SECONDS) + HANGING.toMillis());
        List<StackTraceElement> where = thread.isAlive() ? Arrays.asList(thread.getStackTrace()) : List.of();
        for (Attacker each : attackers) {
            each.close();
        }
        assertThat(where).as("%s: expected it to end, but it hangs", this).isEmpty();
        if (failure[0] != null) {
            throw new AssertionError(this + ": " + failure[0], failure[0]);
        }
        treasure.mustBeUntouched(toString());
        treasure.mustNotShowBelow(place, toString());
        assertThat(undisturbed).as("%s: rounds that went through", this).isPositive();
        assertThat(refused).as("%s: attacks that fell into the window", this).isPositive();
        assertThat(attackers.stream().mapToLong(Attacker::swaps).sum())
                .as("%s: swaps", this)
                .isGreaterThan(MIN_ROUNDS);
        LOG.info("{}", this);
    }

    private Throwable repeat(Operation operation) {
        long begun = System.nanoTime();
        try {
            while (goesOn(Duration.ofNanos(System.nanoTime() - begun))) {
                once(operation);
                if (rounds % 64 == 0) {
                    treasure.mustBeUntouched(toString());
                }
            }
        } catch (Exception | AssertionError e) {
            return e;
        }
        return null;
    }

    private boolean goesOn(Duration elapsed) {
        if (elapsed.compareTo(PATIENCE.plusSeconds(SECONDS / SIEGES)) > 0) {
            return false;
        }
        boolean enough = rounds >= MIN_ROUNDS && undisturbed > 0 && refused > 0;
        return !enough || elapsed.toMillis() < TimeUnit.SECONDS.toMillis(SECONDS) / SIEGES;
    }

    private void once(Operation operation) throws Exception {
        rounds++;
        try {
            if (operation.run(rounds) == End.AS_IF_ALONE) {
                undisturbed++;
            } else {
                refused++;
            }
        } catch (Exception e) {
            refused++;
            assertThat(wordsOf(e).orElseThrow(() -> e))
                    .as("%s", this)
                    .isNotBlank()
                    .doesNotContain(Treasure.SECRET);
        }
    }

    /** Of errors that operations are known to end with. */
    private static Optional<String> wordsOf(Exception e) {
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
        return name + " (round " + rounds + ", " + undisturbed + " went through, " + refused + " disturbed, "
                + attackers.stream().mapToLong(Attacker::swaps).sum() + " swaps, -Dmooring.seed=" + seed + ")";
    }

    /** Nothing stays mounted. */
    @Override
    public void close() throws Exception {
        unmountBelow(place.getParent());
    }

    static void unmountBelow(Path path) throws IOException, InterruptedException {
        List<MountTable.Mount> left = MountTable.read().below(path);
        for (int i = left.size() - 1; i >= 0; i--) {
            Machine.run("umount", "-l", left.get(i).point());
        }
    }
}
