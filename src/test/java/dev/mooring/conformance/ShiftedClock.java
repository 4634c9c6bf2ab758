package dev.mooring.conformance;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** System clock that tests can set forward. */
final class ShiftedClock extends Clock {
    private volatile Duration offset = Duration.ZERO;

    void advance(Duration time) {
        offset = offset.plus(time);
    }

    @Override
    public Instant instant() {
        return Clock.systemUTC().instant().plus(offset);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
