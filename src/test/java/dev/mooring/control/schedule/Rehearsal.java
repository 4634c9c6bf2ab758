package dev.mooring.control.schedule;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Worlds;
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
 * A scheduler as in a server, slowed down so that a test decides what happens next: a Pod is looked at, a proposal reaches the log, a change is told.
 * Proposals are taken in the order in which they were made; changes are told in the order of each resource.
 */
final class Rehearsal implements Controller.Wakes {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private record Told(Change change, Optional<StoredObject> before) {}

    private record Sent(ObjectKey pod, Proposal proposal) {}

    private final Deque<Sent> ledger = new ArrayDeque<>();
    private final Map<String, Deque<Told>> feeds = new LinkedHashMap<>();
    private final Set<ObjectKey> awake = new LinkedHashSet<>();
    private final Map<ObjectKey, Integer> working = new HashMap<>();
    private final Set<ObjectKey> again = new LinkedHashSet<>();
    private Scheduler scheduler;
    private World world;
    private int conflicts;

    Rehearsal(String yaml) {
        world = Worlds.of(yaml);
        restart();
    }

    /** The scheduler is killed, and another takes over. What was sent is on its way all the same. */
    void restart() {
        scheduler = new Scheduler();
        feeds.clear();
        awake.clear();
        working.clear();
        again.clear();
        for (Scope scope : scheduler.scopes()) {
            feeds.put(scope.resource(), new ArrayDeque<>());
            for (StoredObject object : world.list(scope)) {
                scheduler.follow(Change.put(object, 0), Optional.empty(), world, this);
            }
        }
    }

    World world() {
        return world;
    }

    int conflicts() {
        return conflicts;
    }

    List<ObjectKey> awake() {
        return awake.stream().filter(key -> !working.containsKey(key)).toList();
    }

    List<String> feeds() {
        return feeds.keySet().stream()
                .filter(each -> !feeds.get(each).isEmpty())
                .toList();
    }

    int sent() {
        return ledger.size();
    }

    /** Looks at a Pod; says how many proposals came of it. */
    int look(ObjectKey pod) {
        awake.remove(pod);
        Decision decision = scheduler.reconcile(world, pod, NOW);
        decision.proposals().forEach(proposal -> ledger.add(new Sent(pod, proposal)));
        if (!decision.proposals().isEmpty()) {
            working.put(pod, decision.proposals().size());
        }
        if (decision.lookAgain().isPresent()) {
            again.add(pod);
        }
        return decision.proposals().size();
    }

    int look(String pod) {
        return look(Cluster.podKey(pod));
    }

    /** The oldest proposal reaches the log; whether it becomes an event. */
    boolean commit() {
        Sent sent = ledger.remove();
        boolean holds = sent.proposal().expectations().stream()
                .allMatch(each ->
                        world.get(each.key()).map(StoredObject::revision).orElse(0L) == each.revision());
        if (holds) {
            happen(sent.proposal());
        } else {
            conflicts++;
            awake.add(sent.pod());
        }
        working.computeIfPresent(sent.pod(), (key, left) -> left == 1 ? null : left - 1);
        return holds;
    }

    void put(String yaml) {
        Worlds.objects(yaml)
                .forEach(object -> happen(
                        Proposal.by("tester", "Put").put(Worlds.draft(object)).build()));
    }

    void remove(ObjectKey key) {
        happen(Proposal.by("tester", "Removed")
                .remove(world.get(key).orElseThrow())
                .build());
    }

    private void happen(Proposal proposal) {
        Event event = Worlds.event(world, proposal);
        World before = world;
        world = world.after(event);
        for (Change change : event.changes()) {
            Deque<Told> feed = feeds.get(change.key().resource());
            if (feed != null) {
                feed.add(new Told(change, before.get(change.key())));
            }
        }
    }

    /** The oldest change of a resource is told. */
    void tell(String resource) {
        Told told = feeds.get(resource).remove();
        scheduler.follow(told.change(), told.before(), world, this);
    }

    /** Everything goes its way until nothing is left to be done. */
    void settle() {
        while (!awake.isEmpty() || !ledger.isEmpty() || !feeds().isEmpty() || !again.isEmpty()) {
            while (!ledger.isEmpty()) {
                commit();
            }
            feeds().forEach(feed -> {
                while (!feeds.get(feed).isEmpty()) {
                    tell(feed);
                }
            });
            if (awake.isEmpty()) {
                awake.addAll(again);
                again.clear();
            }
            awake().stream().findFirst().ifPresent(this::look);
        }
    }

    @Override
    public void now(ObjectKey key) {
        awake.add(key);
    }

    @Override
    public void within(ObjectKey key, Duration delay) {
        awake.add(key);
    }
}
