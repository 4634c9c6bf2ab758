package dev.mooring.node.pod;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.desired.Containers;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.Labels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * What is known of this node's containers, and what is being done to them. The engine is the truth; this follows it, and forgets nothing while the
 * engine is away. What is told late never overwrites what is newer. Thread-safe; nothing blocks.
 */
public final class ContainerBook implements Containers {
    private static final int REMEMBERED_REMOVALS = 10_000;

    private static final Comparator<ContainerFacts> NEWEST_FIRST = Comparator.<ContainerFacts>comparingInt(
                    each -> each.whose().attempt())
            .reversed();

    private final BooleanSupplier everHadEngine;
    private final Map<String, Entry> pods = new HashMap<>();
    private final Map<ObjectKey, Set<String>> uids = new HashMap<>();
    private final Map<String, String> podOfContainer = new HashMap<>();
    private final Map<String, Long> removals = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > REMEMBERED_REMOVALS;
        }
    };
    private long tickets;
    private boolean loaded;
    private boolean present;
    private String absence = "it was not asked yet";
    private volatile Consumer<ObjectKey> waiting = pod -> {};

    private static final class Entry {
        private final ObjectKey pod;
        private final Map<String, ContainerFacts> containers = new HashMap<>();
        private final Map<String, Long> told = new HashMap<>();
        private final Map<String, Busy> busy = new HashMap<>();
        private final Map<String, Trouble> troubles = new HashMap<>();

        private Entry(ObjectKey pod) {
            this.pod = pod;
        }

        private boolean isEmpty() {
            return containers.isEmpty() && busy.isEmpty() && troubles.isEmpty();
        }
    }

    /**
     * Something that is being done.
     *
     * @param end when a container that is being ended is out of time
     */
    record Busy(Optional<Instant> end) {}

    /**
     * What is known of one Pod.
     *
     * @param sandboxes the newest first
     * @param containers by name, the newest first
     */
    record Page(
            List<ContainerFacts> sandboxes,
            Map<String, List<ContainerFacts>> containers,
            Map<String, Busy> busy,
            Map<String, Trouble> troubles) {
        static final Page EMPTY = new Page(List.of(), Map.of(), Map.of(), Map.of());

        List<ContainerFacts> of(String container) {
            return containers.getOrDefault(container, List.of());
        }

        boolean isBusy(String slot) {
            return busy.containsKey(slot);
        }

        List<ContainerFacts> all() {
            List<ContainerFacts> all = new ArrayList<>();
            containers.values().forEach(all::addAll);
            all.addAll(sandboxes);
            return all;
        }
    }

    /** @param everHadEngine whether there has ever been an engine on this node: where none was, nothing can run */
    public ContainerBook(BooleanSupplier everHadEngine) {
        this.everHadEngine = everHadEngine;
    }

    /** A moment: what is asked of the engine after it is newer than what the book has from before it. */
    synchronized long ticket() {
        return ++tickets;
    }

    /**
     * Everything the engine has. Of a container that could not be looked at closely when it was listed, what was known of the state it is in stays.
     * Returns the Pods of which something has changed.
     */
    synchronized Set<ObjectKey> load(List<ContainerFacts> all, long ticket) {
        Set<String> found = new HashSet<>();
        Set<ObjectKey> changed = new HashSet<>();
        for (ContainerFacts each : all) {
            found.add(each.id());
            ContainerFacts known = known(each.id());
            put(known != null && tellsNothingNew(each, known) ? known : each, ticket)
                    .ifPresent(changed::add);
        }
        for (String id : List.copyOf(podOfContainer.keySet())) {
            Entry entry = pods.get(podOfContainer.get(id));
            if (!found.contains(id) && entry.told.get(id) < ticket) {
                removed(id).ifPresent(changed::add);
            }
        }
        if (!present) {
            // What went wrong while it was away, or because it went, may go well now.
            List.copyOf(pods.keySet()).forEach(this::forgetTroubles);
        }
        loaded = true;
        present = true;
        return changed;
    }

    private ContainerFacts known(String id) {
        String uid = podOfContainer.get(id);
        return uid == null ? null : pods.get(uid).containers.get(id);
    }

    /** A container that has run without anybody saying when, or that could not be started without a reason, was seen from afar. */
    private static boolean tellsNothingNew(ContainerFacts listed, ContainerFacts known) {
        return listed.state() == known.state()
                && listed.started().isEmpty()
                && (listed.state() == ContainerFacts.State.CREATED
                        ? listed.error().isEmpty() && !known.error().isEmpty()
                        : listed.exitCode() == known.exitCode()
                                && known.started().isPresent());
    }

    /** The engine does not answer. What was known stays. */
    synchronized void absent(String why) {
        present = false;
        absence = why;
    }

    /** Why the engine does not answer; "" if it does. */
    synchronized String absence() {
        return present ? "" : absence;
    }

    /** Whether the engine answers, and everything it has is here. */
    public synchronized boolean isPresent() {
        return present;
    }

    /**
     * A container as the engine has it.
     *
     * @param ticket taken before the engine was asked
     * @return its Pod, if that is news
     */
    synchronized Optional<ObjectKey> put(ContainerFacts facts, long ticket) {
        Labels.Of whose = facts.whose();
        if (whose.podUid().isEmpty() || removals.getOrDefault(facts.id(), 0L) >= ticket) {
            return Optional.empty();
        }
        Optional<ObjectKey> pod = keyOf(whose);
        if (pod.isEmpty()) {
            return Optional.empty();
        }
        Entry entry = entry(whose.podUid(), pod.get());
        if (entry.told.getOrDefault(facts.id(), 0L) > ticket) {
            return Optional.empty();
        }
        // There is only one of a name: another one that was known before is gone, though nobody has told yet.
        for (ContainerFacts other : List.copyOf(entry.containers.values())) {
            if (other.name().equals(facts.name()) && !other.id().equals(facts.id())) {
                if (entry.told.get(other.id()) > ticket) {
                    return Optional.empty();
                }
                removed(other.id());
                entry = entry(whose.podUid(), pod.get());
            }
        }
        entry.told.put(facts.id(), ticket);
        podOfContainer.put(facts.id(), whose.podUid());
        ContainerFacts before = entry.containers.put(facts.id(), facts);
        return facts.equals(before) ? Optional.empty() : pod;
    }

    private static Optional<ObjectKey> keyOf(Labels.Of whose) {
        try {
            return Optional.of(Pod.key(whose.podNamespace(), whose.podName()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** A container is gone. Returns its Pod, if that is news. */
    synchronized Optional<ObjectKey> removed(String id) {
        removals.put(id, ++tickets);
        String uid = podOfContainer.remove(id);
        if (uid == null) {
            return Optional.empty();
        }
        Entry entry = pods.get(uid);
        entry.containers.remove(id);
        entry.told.remove(id);
        forgetIfEmpty(uid, entry);
        return Optional.of(entry.pod);
    }

    private Entry entry(String uid, ObjectKey pod) {
        return pods.computeIfAbsent(uid, unused -> {
            uids.computeIfAbsent(pod, key -> new HashSet<>()).add(uid);
            return new Entry(pod);
        });
    }

    private void forgetIfEmpty(String uid, Entry entry) {
        if (entry.isEmpty()) {
            pods.remove(uid);
            uids.computeIfPresent(entry.pod, (key, all) -> {
                all.remove(uid);
                return all.isEmpty() ? null : all;
            });
        }
    }

    /**
     * Says that something is begun. If a container may be started by it, one may run from now on, until {@link #ended}.
     *
     * @return whether nothing else was being done there
     */
    synchronized boolean begin(String uid, ObjectKey pod, String slot, Busy busy) {
        return entry(uid, pod).busy.putIfAbsent(slot, busy) == null;
    }

    /** @param trouble what went wrong; nothing if all went well */
    synchronized void ended(String uid, String slot, Optional<Trouble> trouble) {
        Entry entry = pods.get(uid);
        if (entry == null) {
            return;
        }
        entry.busy.remove(slot);
        trouble.ifPresentOrElse(each -> entry.troubles.put(slot, each), () -> entry.troubles.remove(slot));
        forgetIfEmpty(uid, entry);
        if (!Step.isOfSandbox(slot) && !mayRun(uid)) {
            waiting.accept(entry.pod);
        }
    }

    @Override
    public void whenEnded(Consumer<ObjectKey> told) {
        waiting = told;
    }

    /** What went wrong may go well now. */
    synchronized void forgetTroubles(String uid) {
        Entry entry = pods.get(uid);
        if (entry != null) {
            entry.troubles.clear();
            forgetIfEmpty(uid, entry);
        }
    }

    synchronized Page page(String uid) {
        Entry entry = pods.get(uid);
        if (entry == null) {
            return Page.EMPTY;
        }
        List<ContainerFacts> sandboxes = new ArrayList<>();
        Map<String, List<ContainerFacts>> containers = new HashMap<>();
        for (ContainerFacts each : entry.containers.values()) {
            Labels.Of whose = each.whose();
            if (whose.role() == Labels.Role.SANDBOX) {
                sandboxes.add(each);
            } else {
                containers
                        .computeIfAbsent(whose.container(), unused -> new ArrayList<>())
                        .add(each);
            }
        }
        sandboxes.sort(NEWEST_FIRST);
        containers.values().forEach(each -> each.sort(NEWEST_FIRST));
        return new Page(sandboxes, containers, Map.copyOf(entry.busy), Map.copyOf(entry.troubles));
    }

    /** The uids of Pods of this name, past ones too, of which there is anything. */
    synchronized Set<String> uidsOf(ObjectKey pod) {
        return inOrder(uids.getOrDefault(pod, Set.of()));
    }

    /** All Pods of which there is anything. */
    synchronized Set<ObjectKey> pods() {
        return inOrder(uids.keySet());
    }

    /** A copy. That of {@link Set#copyOf} has another order in each process, and the simulation lives the same life twice. */
    private static <T> Set<T> inOrder(Set<T> set) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(set));
    }

    /**
     * A sandbox has no volumes, so it does not count. What is made counts: somebody may just have asked the engine to start it. What is being ended or
     * removed counts as what it still is.
     */
    @Override
    public synchronized boolean mayRun(String podUid) {
        if (!loaded) {
            return everHadEngine.getAsBoolean();
        }
        Entry entry = pods.get(podUid);
        return entry != null
                && (entry.busy.keySet().stream().anyMatch(Step::begins)
                        || entry.containers.values().stream()
                                .anyMatch(each -> mayRun(each) && each.whose().role() != Labels.Role.SANDBOX));
    }

    private static boolean mayRun(ContainerFacts facts) {
        return facts.isLive()
                || (facts.state() == ContainerFacts.State.CREATED
                        && facts.error().isEmpty());
    }

    /** Whether nothing is known of any Pod, and nothing is being done. */
    synchronized boolean isEmpty() {
        return pods.isEmpty() && uids.isEmpty() && podOfContainer.isEmpty();
    }

    /** The container of a Pod that runs or ran last, or the one before it. */
    public Optional<ContainerFacts> find(String podUid, String container, int before) {
        List<ContainerFacts> all = page(podUid).of(container);
        return all.size() > before ? Optional.of(all.get(before)) : Optional.empty();
    }
}
