package dev.mooring.chaos;

import java.time.Duration;

/** Arms faults directly, for tests of the callers of {@link Faults}. */
public final class FaultsFixture {
    private FaultsFixture() {}

    public static void failNextMounts(Faults faults, int count, String reason) {
        faults.failNextMounts(count, reason, ChaosAction.MAX_DURATION);
    }

    public static void hang(Faults faults, String server, Duration length) {
        faults.hang(server, length);
    }
}
