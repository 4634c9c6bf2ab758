package dev.mooring.world;

import dev.mooring.log.Batch;
import dev.mooring.log.EventLog;
import dev.mooring.log.LogFailedException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Metrics of the ledger and its log. */
public final class LedgerMetrics {
    private static final Duration[] APPEND_BUCKETS = {
        Duration.ofNanos(100_000),
        Duration.ofNanos(250_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofSeconds(1),
    };

    private final MeterRegistry registry;
    private final Timer append;
    private final DistributionSummary batch;
    private final Counter committed;
    private final Counter conflicts;
    private final Map<Outcome.Reason, Counter> refused = new EnumMap<>(Outcome.Reason.class);

    public LedgerMetrics(MeterRegistry registry) {
        this.registry = registry;
        append = Timer.builder("mooring.log.append")
                .description("Time to write and sync one batch of events")
                .serviceLevelObjectives(APPEND_BUCKETS)
                .register(registry);
        batch = DistributionSummary.builder("mooring.log.batch.records")
                .description("Events per sync")
                .serviceLevelObjectives(1, 4, 16, 64, 256, 1024, 4096)
                .register(registry);
        committed = proposals("committed");
        conflicts = proposals("conflict");
        for (Outcome.Reason reason : Outcome.Reason.values()) {
            refused.put(reason, proposals(reason.name().toLowerCase(Locale.ROOT)));
        }
    }

    private Counter proposals(String outcome) {
        return Counter.builder("mooring.proposals")
                .description("Proposals by outcome")
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Records that the log was opened and how many events were replayed. */
    void opened(Timer.Sample sample, long events) {
        Timer open = Timer.builder("mooring.log.open")
                .description("Time to open the log and rebuild the World")
                .register(registry);
        long nanos = Math.max(1, sample.stop(open));
        double perSecond = events * 1e9 / nanos;
        Gauge.builder("mooring.replay.events.per.second", () -> perSecond)
                .description("Replayed events per second at startup")
                .register(registry);
    }

    /** Registers the gauges of a ledger. */
    public void observe(Ledger ledger, WatchHub hub) {
        gauge(
                "mooring.revision",
                "The newest durable revision",
                ledger,
                it -> it.world().revision());
        gauge(
                "mooring.objects",
                "Objects in the World",
                ledger,
                it -> it.world().size());
        gauge(
                "mooring.world.bytes",
                "Memory used by the objects in the World",
                ledger,
                it -> it.world().bytes());
        gauge(
                "mooring.world.limit.bytes",
                "Memory limit above which writes of users are refused",
                ledger,
                it -> it.worldLimits().userBytes());
        gauge("mooring.proposals.pending", "Proposals waiting for the ledger", ledger, Ledger::pending);
        gauge(
                "mooring.log.read.only",
                "1 if the log accepts no more events, else 0",
                ledger,
                it -> it.readOnly().isPresent() ? 1 : 0);
        gauge("mooring.watchers", "Open watches", hub, WatchHub::watchers);
    }

    /** Registers the gauges of the history. */
    void observe(History history) {
        gauge("mooring.history.bytes", "Memory used by past Worlds", history, History::bytes);
    }

    private <T> void gauge(String name, String description, T of, ToDoubleFunction<T> value) {
        Gauge.builder(name, of, value)
                .description(description)
                .strongReference(true)
                .register(registry);
    }

    void timeAppend(Batch appended, EventLog log) throws LogFailedException {
        Timer.Sample sample = Timer.start(registry);
        log.append(appended);
        sample.stop(append);
        batch.record(appended.events().size());
    }

    Outcome count(Outcome outcome) {
        if (outcome instanceof Outcome.Committed) {
            committed.increment();
        } else if (outcome instanceof Outcome.Conflict) {
            conflicts.increment();
        } else if (outcome instanceof Outcome.Refused refusal) {
            refused.get(refusal.reason()).increment();
        }
        return outcome;
    }
}
