package dev.mooring.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.MemoryLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SlowReadersTest {
    private static final MemoryLimits LIMITS = new MemoryLimits(1_000, 500);

    private final AtomicLong replaced = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();
    private final List<String> aborted = new ArrayList<>();
    private final SlowReaders readers = new SlowReaders(LIMITS, replaced::get, nanos::get);

    private SlowReaders.StalledResponse stall(String name, long unread, long heldSince) {
        return readers.trackStalled(unread, heldSince, () -> aborted.add(name));
    }

    @Test
    void slowReaders_moreThanHalfOfLimitUnread_abortsResponsesStalledForASecond() {
        stall("first", 200, SlowReaders.NO_OBJECTS);
        stall("second", 200, SlowReaders.NO_OBJECTS).end();
        nanos.set(1_000_000_000);
        stall("third", 200, SlowReaders.NO_OBJECTS);
        assertThat(aborted).isEmpty();
        stall("fourth", 200, SlowReaders.NO_OBJECTS);
        assertThat(aborted).containsExactly("first");
        stall("fifth", 10, SlowReaders.NO_OBJECTS);
        assertThat(aborted).as("responses stalled for less than a second").containsExactly("first");
    }

    @Test
    void slowReaders_moreThanThreeQuartersUnread_abortsLongestStalledResponse() {
        for (int i = 1; i <= 7; i++) {
            stall("r" + i, 100, SlowReaders.NO_OBJECTS);
        }
        assertThat(aborted).isEmpty();
        stall("r8", 100, SlowReaders.NO_OBJECTS);
        assertThat(aborted).containsExactly("r1");
        assertThat(readers.isFull()).isFalse();
    }

    @Test
    void slowReaders_abortedResponse_countsUntilItEnds() {
        SlowReaders.StalledResponse first = stall("first", 900, SlowReaders.NO_OBJECTS);
        stall("second", 200, SlowReaders.NO_OBJECTS);
        assertThat(aborted).containsExactly("first");
        assertThat(readers.isFull()).isTrue();
        first.end();
        first.end();
        assertThat(readers.isFull()).isFalse();
    }

    @Test
    void slowReaders_tooManyReplacedBytesHeld_abortsOldestListsOnly() {
        stall("old list", 10, readers.readMark());
        stall("watch", 10, SlowReaders.NO_OBJECTS);
        replaced.set(400);
        stall("newer list", 10, readers.readMark());
        readers.enforceLimits();
        assertThat(aborted).isEmpty();
        replaced.set(501);
        readers.enforceLimits();
        assertThat(aborted).containsExactly("old list");
        replaced.set(901);
        readers.enforceLimits();
        assertThat(aborted).containsExactly("old list", "newer list");
    }
}
