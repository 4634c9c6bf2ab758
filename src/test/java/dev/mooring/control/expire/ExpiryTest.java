package dev.mooring.control.expire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.Decision;
import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
import dev.mooring.model.ObjectKey;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpiryTest {
    private static final ObjectKey EVENT = ObjectKey.parse("events/default/e");
    private static final Instant NOW = Instant.parse("2026-01-02T12:00:00Z");
    private final Expiry expiry = new Expiry(Duration.ofHours(24));

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        lastTimestamp: 2026-01-01T13:00:00Z                                                      | PT1H
        lastTimestamp: 2026-01-01T14:30:00+02:00                                                 | PT30M
        eventTime: '2026-01-01T12:00:01.500000Z'                                                 | PT1.5S
        series: {lastObservedTime: '2026-01-02T11:00:00.000000Z', count: 3}                      | PT23H
        firstTimestamp: 2026-01-01T13:00:00Z                                                     | PT1H
        {firstTimestamp: '2026-01-01T09:00:00Z', lastTimestamp: '2026-01-01T15:00:00Z', eventTime: null} | PT3H
        {lastTimestamp: 'yesterday', firstTimestamp: '2026-01-01T13:00:00Z'}                     | PT1H
        metadata: {name: e, namespace: default, creationTimestamp: '2026-01-02T11:59:00Z'}       | PT23H59M
        """)
    void looksAtAnEventAgainADayAfterItWasLastTold(String fields, Duration after) {
        World world = world(fields);
        assertThat(expiry.reconcile(world, EVENT, NOW))
                .isEqualTo(new Decision(java.util.List.of(), Optional.of(after)));
        Decision then = expiry.reconcile(world, EVENT, NOW.plus(after));
        assertThat(then.proposals()).hasSize(1);
        assertThat(Worlds.after(world, then.proposals().get(0)).get(EVENT)).isEmpty();
        assertThat(then.proposals().get(0).type()).isEqualTo("EventExpired");
    }

    private static World world(String fields) {
        String flat = fields.startsWith("{") ? fields.substring(1, fields.length() - 1) : fields;
        String metadata = flat.contains("metadata:") ? "" : ", metadata: {name: e, namespace: default}";
        return Worlds.of("{kind: Event, " + flat + metadata + "}");
    }

    @Test
    void leavesAnEventThatSaysNoTime() {
        assertThat(expiry.reconcile(world("reason: Odd"), EVENT, NOW)).isEqualTo(Decision.nothing());
    }

    @Test
    void removesTokensWhenTheyExpireAndKeepsThoseThatNeverDo() {
        OneController run = new OneController(expiry, """
            {apiVersion: mooring.dev/v1, kind: Token, metadata: {name: short}, spec: {expires: '2026-01-01T01:00:00Z'}}
            ---
            {apiVersion: mooring.dev/v1, kind: Token, metadata: {name: past}, spec: {expires: '2025-12-31T00:00:00Z'}}
            ---
            {apiVersion: mooring.dev/v1, kind: Token, metadata: {name: forever}, spec: {}}
            """).settle();
        assertThat(run.did()).containsExactly("TokenExpired tokens.mooring.dev/past");
        run.pass(Duration.ofMinutes(59));
        assertThat(run.did()).isEmpty();
        run.pass(Duration.ofMinutes(1));
        assertThat(run.did()).containsExactly("TokenExpired tokens.mooring.dev/short");
        assertThat(run.keys()).containsExactly("tokens.mooring.dev/forever");
        assertThat(run.waiting()).isZero();
    }

    @Test
    void givesAnEventThatIsToldAgainAnotherDay() {
        OneController run = new OneController(expiry, event("2026-01-01T00:00:00Z")).settle();
        run.pass(Duration.ofHours(23));
        run.put(event("2026-01-01T23:00:00Z")).pass(Duration.ofHours(23));
        assertThat(run.did()).isEmpty();
        run.pass(Duration.ofHours(1));
        assertThat(run.did()).containsExactly("EventExpired events/default/e");
    }

    @Test
    void doesNotWaitForWhatIsGone() {
        OneController run = new OneController(expiry, event("2026-01-01T00:00:00Z")).settle();
        assertThat(run.waiting()).isEqualTo(1);
        run.remove("events/default/e").settle();
        assertThat(run.waiting()).isZero();
    }

    @Test
    void looksAtEachEventOnceWhenItComesAndOnceWhenItIsDue() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            yaml.append("---\n").append("""
                {kind: Event, metadata: {name: e%d, namespace: default}, lastTimestamp: '2026-01-01T00:00:00Z'}
                """.formatted(i));
        }
        OneController run = new OneController(expiry, yaml.toString()).settle();
        for (int hour = 0; hour < 24; hour++) {
            run.pass(Duration.ofHours(1));
        }
        assertThat(run.keys()).isEmpty();
        // The removal is told as well, and looked at.
        assertThat(run.looks()).isLessThanOrEqualTo(300);
    }

    private static String event(String last) {
        return "{kind: Event, metadata: {name: e, namespace: default}, lastTimestamp: '" + last + "'}";
    }
}
