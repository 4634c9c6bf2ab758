package dev.mooring.control.schedule;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Runs a PodScheduler step by step, so that a test chooses the interleaving: a Pod is reconciled, a proposal reaches
 * the log, or a change is delivered. Proposals are committed in order; changes are delivered in order per resource.
 */
final class SchedulerFixture implements Controller.Enqueuer {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private record PendingChange(Change change, Optional<StoredObject> before) {}

    private record Sent(ObjectKey pod, Proposal proposal) {}

    private final Deque<Sent> ledger = new ArrayDeque<>();
    private final Map<String, Deque<PendingChange>> feeds = new LinkedHashMap<>();
    private final Set<ObjectKey> enqueued = new LinkedHashSet<>();
    private final Map<ObjectKey, Integer> working = new HashMap<>();
    private final Set<ObjectKey> delayed = new LinkedHashSet<>();
    private PodScheduler scheduler;
    private World world;
    private int conflicts;

    SchedulerFixture(String yaml) {
        world = WorldFixture.of(yaml);
        restart();
    }

    /** Kills the scheduler and starts a new one. Proposals that were already sent still reach the log. */
    void restart() {
        scheduler = new PodScheduler();
        feeds.clear();
        enqueued.clear();
        working.clear();
        delayed.clear();
        for (Scope scope : scheduler.scopes()) {
            feeds.put(scope.resource(), new ArrayDeque<>());
            for (StoredObject object : world.list(scope)) {
                scheduler.onChange(Change.put(object, 0), Optional.empty(), world, this);
            }
        }
    }

    World world() {
        return world;
    }

    int conflicts() {
        return conflicts;
    }

    List<ObjectKey> enqueued() {
        return enqueued.stream().filter(key -> !working.containsKey(key)).toList();
    }

    List<String> feeds() {
        return feeds.keySet().stream()
                .filter(each -> !feeds.get(each).isEmpty())
                .toList();
    }

    int sent() {
        return ledger.size();
    }

    /** Reconciles a Pod. Returns the number of proposals. */
    int reconcile(ObjectKey pod) {
        enqueued.remove(pod);
        Decision decision = scheduler.reconcile(world, pod, NOW);
        decision.proposals().forEach(proposal -> ledger.add(new Sent(pod, proposal)));
        if (!decision.proposals().isEmpty()) {
            working.put(pod, decision.proposals().size());
        }
        if (decision.requeueAfter().isPresent()) {
            delayed.add(pod);
        }
        return decision.proposals().size();
    }

    int reconcile(String pod) {
        return reconcile(SchedulerObjects.podKey(pod));
    }

    /** Commits the oldest proposal. Returns false if it conflicts. */
    boolean commit() {
        Sent sent = ledger.remove();
        boolean holds = sent.proposal().expectations().stream()
                .allMatch(each ->
                        world.get(each.key()).map(StoredObject::revision).orElse(0L) == each.revision());
        if (holds) {
            commitEvent(sent.proposal());
        } else {
            conflicts++;
            enqueued.add(sent.pod());
        }
        working.computeIfPresent(sent.pod(), (key, left) -> left == 1 ? null : left - 1);
        return holds;
    }

    void put(String yaml) {
        WorldFixture.objects(yaml)
                .forEach(object -> commitEvent(Proposal.by("tester", "Put")
                        .put(WorldFixture.draft(object))
                        .build()));
    }

    void remove(ObjectKey key) {
        commitEvent(Proposal.by("tester", "Removed")
                .remove(world.get(key).orElseThrow())
                .build());
    }

    private void commitEvent(Proposal proposal) {
        Event event = WorldFixture.event(world, proposal);
        World before = world;
        world = world.after(event);
        for (Change change : event.changes()) {
            Deque<PendingChange> feed = feeds.get(change.key().resource());
            if (feed != null) {
                feed.add(new PendingChange(change, before.get(change.key())));
            }
        }
    }

    /** Delivers the oldest pending change of a resource. */
    void deliverChange(String resource) {
        PendingChange pending = feeds.get(resource).remove();
        scheduler.onChange(pending.change(), pending.before(), world, this);
    }

    /** Runs all steps until none is left. */
    void settle() {
        while (!enqueued.isEmpty() || !ledger.isEmpty() || !feeds().isEmpty() || !delayed.isEmpty()) {
            while (!ledger.isEmpty()) {
                commit();
            }
            feeds().forEach(feed -> {
                while (!feeds.get(feed).isEmpty()) {
                    deliverChange(feed);
                }
            });
            if (enqueued.isEmpty()) {
                enqueued.addAll(delayed);
                delayed.clear();
            }
            enqueued().stream().findFirst().ifPresent(this::reconcile);
        }
    }

    @Override
    public void enqueue(ObjectKey key) {
        enqueued.add(key);
    }

    @Override
    public void enqueueWithin(ObjectKey key, Duration delay) {
        enqueued.add(key);
    }
}
