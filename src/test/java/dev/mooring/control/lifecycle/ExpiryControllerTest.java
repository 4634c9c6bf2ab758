package dev.mooring.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.ControllerFixture;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Cause;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpiryControllerTest {
    private static final ObjectKey EVENT = ObjectKey.parse("events/default/e");
    private static final Instant NOW = Instant.parse("2026-01-02T12:00:00Z");
    private final ExpiryController expiry = new ExpiryController(Duration.ofHours(24));

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
    void event_lastObserved_expiresOneDayLater(String fields, Duration after) {
        World world = world(fields);
        assertThat(expiry.reconcile(world, EVENT, NOW))
                .isEqualTo(Decision.none().requeueAfter(after));
        Decision later = expiry.reconcile(world, EVENT, NOW.plus(after));
        assertThat(later.proposals()).hasSize(1);
        assertThat(WorldFixture.after(world, later.proposals().get(0)).get(EVENT))
                .isEmpty();
        assertThat(later.proposals().get(0).type()).isEqualTo("EventExpired");
    }

    private static World world(String fields) {
        String flat = fields.startsWith("{") ? fields.substring(1, fields.length() - 1) : fields;
        String metadata = flat.contains("metadata:") ? "" : ", metadata: {name: e, namespace: default}";
        return WorldFixture.of("{kind: Event, " + flat + metadata + "}");
    }

    @Test
    void event_withoutTime_isKept() {
        assertThat(expiry.reconcile(world("reason: Odd"), EVENT, NOW)).isEqualTo(Decision.none());
    }

    @Test
    void tokens_areRemovedWhenTheyExpire() {
        ControllerFixture run = new ControllerFixture(expiry, """
            {apiVersion: mooring.dev/v1, kind: Token, metadata: {name: short}, spec: {expires: '2026-01-01T01:00:00Z'}}
            ---
            {apiVersion: mooring.dev/v1, kind: Token, metadata: {name: past}, spec: {expires: '2025-12-31T00:00:00Z'}}
            ---
            {apiVersion: mooring.dev/v1, kind: Token, metadata: {name: forever}, spec: {}}
            """).settle();
        assertThat(run.takeEvents()).containsExactly("TokenExpired tokens.mooring.dev/past");
        run.advance(Duration.ofMinutes(59));
        assertThat(run.takeEvents()).isEmpty();
        run.advance(Duration.ofMinutes(1));
        assertThat(run.takeEvents()).containsExactly("TokenExpired tokens.mooring.dev/short");
        assertThat(run.keys()).containsExactly("tokens.mooring.dev/forever");
        assertThat(run.waiting()).isZero();
    }

    @Test
    void event_observedAgain_expiresOneDayAfterThat() {
        ControllerFixture run = new ControllerFixture(expiry, event("2026-01-01T00:00:00Z")).settle();
        run.advance(Duration.ofHours(23));
        run.put(event("2026-01-01T23:00:00Z")).advance(Duration.ofHours(23));
        assertThat(run.takeEvents()).isEmpty();
        run.advance(Duration.ofHours(1));
        assertThat(run.takeEvents()).containsExactly("EventExpired events/default/e");
    }

    @Test
    void event_removed_leavesTheQueue() {
        ControllerFixture run = new ControllerFixture(expiry, event("2026-01-01T00:00:00Z")).settle();
        assertThat(run.waiting()).isEqualTo(1);
        run.remove("events/default/e").settle();
        assertThat(run.waiting()).isZero();
    }

    @Test
    void events_areReconciledOnlyWhenCreatedDueAndRemoved() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            yaml.append("---\n").append("""
                {kind: Event, metadata: {name: e%d, namespace: default}, lastTimestamp: '2026-01-01T00:00:00Z'}
                """.formatted(i));
        }
        ControllerFixture run = new ControllerFixture(expiry, yaml.toString()).settle();
        for (int hour = 0; hour < 24; hour++) {
            run.advance(Duration.ofHours(1));
        }
        assertThat(run.keys()).isEmpty();
        // The removal causes a reconcile too.
        assertThat(run.reconciles()).isLessThanOrEqualTo(300);
    }

    private static String event(String last) {
        return "{kind: Event, metadata: {name: e, namespace: default}, lastTimestamp: '" + last + "'}";
    }

    @Test
    void namespace_tooManyEvents_losesTheOldest() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i <= EventProposals.MAX_KEPT_EVENTS; i++) {
            text.append("{kind: Event, metadata: {name: e").append(i).append(", namespace: crowded}}\n---\n");
        }
        text.append("{kind: Event, metadata: {name: other, namespace: quiet}}\n");
        ControllerFixture run = new ControllerFixture(expiry, text.toString()).settle();
        assertThat(run.takeEvents())
                .hasSize(250)
                .contains("EventExpired events/crowded/e0", "EventExpired events/crowded/e249");
        assertThat(run.keys())
                .hasSize(EventProposals.MAX_KEPT_EVENTS + 2 - 250)
                .contains("events/quiet/other", "events/crowded/e" + EventProposals.MAX_KEPT_EVENTS);
    }

    @Test
    void namespace_farTooManyEvents_recordsNoFurtherEvent() {
        StringBuilder text = new StringBuilder("{kind: Namespace, metadata: {name: crowded}}\n");
        for (int i = 0; i < 2 * EventProposals.MAX_KEPT_EVENTS; i++) {
            text.append("---\n{kind: Event, metadata: {name: e").append(i).append(", namespace: crowded}}\n");
        }
        KubeEvent.InvolvedObject pod = new KubeEvent.InvolvedObject("v1", "Pod", "crowded", "p", "u", "");
        KubeEvent event = KubeEvent.normal(pod, "Started", "Started it", "kubelet");
        assertThat(EventProposals.recordEvent(WorldFixture.of(text.toString()), event, Cause.none(), NOW))
                .isEmpty();
        World empty = WorldFixture.of("{kind: Namespace, metadata: {name: crowded}}");
        assertThat(EventProposals.recordEvent(empty, event, Cause.none(), NOW)).isPresent();
    }
}
