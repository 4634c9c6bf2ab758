package dev.mooring.chaos;

import java.time.Duration;

/** Arms faults without all that leads to it, for tests of those who ask about them. */
public final class FaultsInTests {
    private FaultsInTests() {}

    public static void failNextMounts(Faults faults, int count, String reason) {
        faults.failNextMounts(count, reason, ChaosAction.LONGEST);
    }

    public static void hang(Faults faults, String server, Duration length) {
        faults.hang(server, length);
    }
}
