package dev.mooring.node.pods;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.volumemanager.PodStateProvider;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerLabels;
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
 * The known containers of this node and the actions in progress. The engine is authoritative; the cache follows it and
 * keeps its content while the engine is absent. Late results never overwrite newer ones. Thread-safe; never blocks.
 */
public final class ContainerCache implements PodStateProvider {
    private static final int REMEMBERED_REMOVALS = 10_000;

    private static final Comparator<ContainerFacts> NEWEST_FIRST = Comparator.<ContainerFacts>comparingInt(
                    each -> each.identity().attempt())
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
    private String absence = "it was not contacted yet";
    private volatile Consumer<ObjectKey> endListener = pod -> {};

    private static final class Entry {
        private final ObjectKey pod;
        private final Map<String, ContainerFacts> containers = new HashMap<>();
        private final Map<String, Long> ticketById = new HashMap<>();
        private final Map<String, ActionInProgress> busy = new HashMap<>();
        private final Map<String, PodActionFailure> failures = new HashMap<>();

        private Entry(ObjectKey pod) {
            this.pod = pod;
        }

        private boolean isEmpty() {
            return containers.isEmpty() && busy.isEmpty() && failures.isEmpty();
        }
    }

    /**
     * An action in progress.
     *
     * @param deadline end of the grace period of a container that is being stopped
     */
    record ActionInProgress(Optional<Instant> deadline) {}

    /**
     * The state of one Pod.
     *
     * @param sandboxes the newest first
     * @param containers by name, the newest first
     */
    record CachedPod(
            List<ContainerFacts> sandboxes,
            Map<String, List<ContainerFacts>> containers,
            Map<String, ActionInProgress> busy,
            Map<String, PodActionFailure> failures) {
        static final CachedPod EMPTY = new CachedPod(List.of(), Map.of(), Map.of(), Map.of());

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

    /**
     * Creates an empty cache.
     *
     * @param everHadEngine whether this node ever had an engine; without one, nothing can run
     */
    public ContainerCache(BooleanSupplier everHadEngine) {
        this.everHadEngine = everHadEngine;
    }

    /**
     * Returns a logical time: results of engine calls made after it are newer than the cache content from before it.
     */
    synchronized long ticket() {
        return ++tickets;
    }

    /**
     * Replaces the content with a list of all containers. Keeps the details of a container that could not be inspected,
     * if its state is unchanged. Returns the changed Pods.
     */
    synchronized Set<ObjectKey> load(List<ContainerFacts> all, long ticket) {
        Set<String> found = new HashSet<>();
        Set<ObjectKey> changed = new HashSet<>();
        for (ContainerFacts each : all) {
            found.add(each.id());
            ContainerFacts known = known(each.id());
            put(known != null && isLessDetailed(each, known) ? known : each, ticket)
                    .ifPresent(changed::add);
        }
        for (String id : List.copyOf(podOfContainer.keySet())) {
            Entry entry = pods.get(podOfContainer.get(id));
            if (!found.contains(id) && entry.ticketById.get(id) < ticket) {
                removed(id).ifPresent(changed::add);
            }
        }
        if (!present) {
            // Failures during or due to the absence may not recur.
            List.copyOf(pods.keySet()).forEach(this::clearFailures);
        }
        loaded = true;
        present = true;
        return changed;
    }

    private ContainerFacts known(String id) {
        String uid = podOfContainer.get(id);
        return uid == null ? null : pods.get(uid).containers.get(id);
    }

    /** Returns whether the listed container lacks its start time or start error, because it was not inspected. */
    private static boolean isLessDetailed(ContainerFacts listed, ContainerFacts known) {
        return listed.state() == known.state()
                && listed.started().isEmpty()
                && (listed.state() == ContainerFacts.State.CREATED
                        ? listed.error().isEmpty() && !known.error().isEmpty()
                        : listed.exitCode() == known.exitCode()
                                && known.started().isPresent());
    }

    /** Marks the engine as absent and keeps the content. */
    synchronized void markAbsent(String why) {
        present = false;
        absence = why;
    }

    /** Returns why the engine is absent; "" if it is present. */
    synchronized String absence() {
        return present ? "" : absence;
    }

    /** Returns whether the engine is present and the cache is complete. */
    public synchronized boolean isPresent() {
        return present;
    }

    /**
     * Updates a container.
     *
     * @param ticket taken before the engine call
     * @return its Pod, if something changed
     */
    synchronized Optional<ObjectKey> put(ContainerFacts facts, long ticket) {
        ContainerLabels.ContainerIdentity identity = facts.identity();
        if (identity.podUid().isEmpty() || removals.getOrDefault(facts.id(), 0L) >= ticket) {
            return Optional.empty();
        }
        Optional<ObjectKey> pod = keyOf(identity);
        if (pod.isEmpty()) {
            return Optional.empty();
        }
        Entry entry = entry(identity.podUid(), pod.get());
        if (entry.ticketById.getOrDefault(facts.id(), 0L) > ticket) {
            return Optional.empty();
        }
        // Names are unique: another container with this name is gone, although its event has not arrived yet.
        for (ContainerFacts other : List.copyOf(entry.containers.values())) {
            if (other.name().equals(facts.name()) && !other.id().equals(facts.id())) {
                if (entry.ticketById.get(other.id()) > ticket) {
                    return Optional.empty();
                }
                removed(other.id());
                entry = entry(identity.podUid(), pod.get());
            }
        }
        entry.ticketById.put(facts.id(), ticket);
        podOfContainer.put(facts.id(), identity.podUid());
        ContainerFacts before = entry.containers.put(facts.id(), facts);
        return facts.equals(before) ? Optional.empty() : pod;
    }

    private static Optional<ObjectKey> keyOf(ContainerLabels.ContainerIdentity identity) {
        try {
            return Optional.of(Pod.key(identity.podNamespace(), identity.podName()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Removes a container. Returns its Pod, if something changed. */
    synchronized Optional<ObjectKey> removed(String id) {
        removals.put(id, ++tickets);
        String uid = podOfContainer.remove(id);
        if (uid == null) {
            return Optional.empty();
        }
        Entry entry = pods.get(uid);
        entry.containers.remove(id);
        entry.ticketById.remove(id);
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
     * Marks the start of an action. If it may start a container, the Pod counts as possibly running until
     * {@link #endAction}.
     *
     * @return whether the slot was free
     */
    synchronized boolean beginAction(String uid, ObjectKey pod, String slot, ActionInProgress busy) {
        return entry(uid, pod).busy.putIfAbsent(slot, busy) == null;
    }

    /**
     * Marks the end of an action.
     *
     * @param failure its failure; empty on success
     */
    synchronized void endAction(String uid, String slot, Optional<PodActionFailure> failure) {
        Entry entry = pods.get(uid);
        if (entry == null) {
            return;
        }
        entry.busy.remove(slot);
        failure.ifPresentOrElse(each -> entry.failures.put(slot, each), () -> entry.failures.remove(slot));
        forgetIfEmpty(uid, entry);
        if (!PodAction.isOfSandbox(slot) && !mayRun(uid)) {
            endListener.accept(entry.pod);
        }
    }

    @Override
    public void onContainersEnded(Consumer<ObjectKey> listener) {
        endListener = listener;
    }

    /** Clears the failures of a Pod, so that its actions are retried at once. */
    synchronized void clearFailures(String uid) {
        Entry entry = pods.get(uid);
        if (entry != null) {
            entry.failures.clear();
            forgetIfEmpty(uid, entry);
        }
    }

    synchronized CachedPod cachedPod(String uid) {
        Entry entry = pods.get(uid);
        if (entry == null) {
            return CachedPod.EMPTY;
        }
        List<ContainerFacts> sandboxes = new ArrayList<>();
        Map<String, List<ContainerFacts>> containers = new HashMap<>();
        for (ContainerFacts each : entry.containers.values()) {
            ContainerLabels.ContainerIdentity identity = each.identity();
            if (identity.role() == ContainerLabels.ContainerRole.SANDBOX) {
                sandboxes.add(each);
            } else {
                containers
                        .computeIfAbsent(identity.container(), unused -> new ArrayList<>())
                        .add(each);
            }
        }
        sandboxes.sort(NEWEST_FIRST);
        containers.values().forEach(each -> each.sort(NEWEST_FIRST));
        return new CachedPod(sandboxes, containers, Map.copyOf(entry.busy), Map.copyOf(entry.failures));
    }

    /** Returns the UIDs of current and former Pods with this name that the cache has. */
    synchronized Set<String> uidsOf(ObjectKey pod) {
        return orderedCopy(uids.getOrDefault(pod, Set.of()));
    }

    /** Returns all Pods that the cache has. */
    synchronized Set<ObjectKey> pods() {
        return orderedCopy(uids.keySet());
    }

    /**
     * Copies a set and keeps its order. The order of {@link Set#copyOf} differs between processes, which would make
     * simulation runs irreproducible.
     */
    private static <T> Set<T> orderedCopy(Set<T> set) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(set));
    }

    /**
     * Returns whether a container may run. Ignores sandboxes, which have no volumes. Created containers count, because
     * a start may be in progress. Containers that are being stopped or removed count with their last known state.
     */
    @Override
    public synchronized boolean mayRun(String podUid) {
        if (!loaded) {
            return everHadEngine.getAsBoolean();
        }
        Entry entry = pods.get(podUid);
        return entry != null
                && (entry.busy.keySet().stream().anyMatch(PodAction::startsContainer)
                        || entry.containers.values().stream()
                                .anyMatch(each -> mayRun(each)
                                        && each.identity().role() != ContainerLabels.ContainerRole.SANDBOX));
    }

    private static boolean mayRun(ContainerFacts facts) {
        return facts.isLive()
                || (facts.state() == ContainerFacts.State.CREATED
                        && facts.error().isEmpty());
    }

    /** Returns the known containers of all Pods, by name. */
    public synchronized List<ContainerFacts> containers() {
        return pods.values().stream()
                .flatMap(each -> each.containers.values().stream())
                .sorted(Comparator.comparing(ContainerFacts::name))
                .toList();
    }

    /** Returns whether the cache has no Pod and no action in progress. */
    synchronized boolean isEmpty() {
        return pods.isEmpty() && uids.isEmpty() && podOfContainer.isEmpty();
    }

    /** Returns a container of a Pod: the current or last attempt (0), or the one before it (1). */
    public Optional<ContainerFacts> find(String podUid, String container, int before) {
        List<ContainerFacts> all = cachedPod(podUid).of(container);
        return all.size() > before ? Optional.of(all.get(before)) : Optional.empty();
    }
}
