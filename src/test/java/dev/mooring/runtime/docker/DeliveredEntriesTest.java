package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeliveredEntriesTest {
    private static final Instant START = Instant.parse("2026-11-17T10:00:00Z");

    private final DeliveredEntries delivered = new DeliveredEntries();

    @Test
    void since_nothingDelivered_isEmpty() {
        assertThat(delivered.since()).isEmpty();
        assertThat(delivered.count()).isZero();
    }

    @Test
    void since_firstEntryIsRecent_isItsTime() {
        delivered.add(START);
        delivered.add(START);

        assertThat(delivered.since()).contains(START);
        assertThat(delivered.count()).isEqualTo(2);
    }

    /** Of the entries since that time, those that were delivered come first, and count says how many they are. */
    @Test
    void count_anyLogAndPrefix_isNumberOfDeliveredEntriesSince() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            List<Instant> log = log(random, random.nextInt(10_000));
            int prefix = random.nextInt(log.size() + 1);
            DeliveredEntries entries = new DeliveredEntries();
            log.subList(0, prefix).forEach(entries::add);

            List<Integer> again = new ArrayList<>();
            for (int i = 0; i < log.size(); i++) {
                if (entries.since().isPresent()
                        && !log.get(i).isBefore(entries.since().get())) {
                    again.add(i);
                }
            }

            if (prefix > 0) {
                assertThat(again.stream().filter(i -> i < prefix).count())
                        .as("seed %d", seed)
                        .isEqualTo(entries.count());
                assertThat(again.stream().filter(i -> i >= prefix).count())
                        .as("seed %d: entries not delivered", seed)
                        .isEqualTo(log.size() - prefix);
            }
        }
    }

    /** Times that are mostly ascending, sometimes equal, sometimes a little out of order. */
    private static List<Instant> log(Random random, int size) {
        List<Instant> log = new ArrayList<>();
        Instant time = START;
        for (int i = 0; i <= size; i++) {
            time = time.plusNanos(random.nextInt(3) * 10_000_000L);
            log.add(random.nextInt(20) == 0 && i > 0 ? time.minusNanos(5_000_000) : time);
        }
        return log;
    }
}
