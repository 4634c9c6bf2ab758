package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Effect;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.DockerMount;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodReferences;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.ImageState;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.node.container.ObservedPod;
import dev.mooring.node.container.PodStatus;
import dev.mooring.node.probe.ProbeManager;
import dev.mooring.node.volumemanager.PodVolumes;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.world.Index;
import dev.mooring.world.Indexes;
import dev.mooring.world.NodeValue;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Syncs the containers of a node with its Pods, and the status of Pods with their containers. Keyed by Pods; triggered
 * by changes of the World and by engine events. Makes no decision about containers while the engine is absent: Pods
 * keep their last known status. Of mirror Pods ({@link DockerMount}) it only completes the deletion.
 *
 * <p>Its effects are {@link PodEffect}s: one action at a time per container, so that one Pod does not delay others.
 */
public final class PodController implements Controller {
    private static final String PODS = "pods";

    /** Pods by their node and the ConfigMaps and Secrets that the environments of their containers name. */
    private static final Index<NodeValue<ObjectKey>> PODS_BY_ENVIRONMENT =
            Index.of("Pods by environment", Scope.resource(PODS), PodController::environment);

    /** Keys of this resource have the UID of a removed Pod as their name; no object has them. */
    private static final String REMOVED_PODS = "removedpods";

    private final PodObservations observations;
    private final ContainerCache cache;
    private final PodDeletion podDeletion;
    private final PodWarningEvents warningEvents;

    PodController(PodObservations observations) {
        this.observations = observations;
        this.cache = observations.cache();
        this.podDeletion = new PodDeletion(observations.node());
        this.warningEvents = new PodWarningEvents(name());
    }

    @Override
    public String name() {
        return "node/" + observations.node();
    }

    @Override
    public String metricName() {
        return PODS;
    }

    @Override
    public void setExternalEnqueue(Consumer<ObjectKey> requeue) {
        observations.requeue().setTarget(requeue);
    }

    @Override
    public List<Scope> scopes() {
        List<Scope> scopes = new ArrayList<>(
                PodDeletion.resources().stream().map(Scope::resource).toList());
        scopes.add(Scope.resource("configmaps"));
        scopes.add(Scope.resource("secrets"));
        scopes.add(Scope.object(Node.key(observations.node())));
        return scopes;
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        podDeletion.affectedBy(change, before).forEach(queue::enqueue);
        switch (change.key().resource()) {
            case PODS -> {
                if (Indexes.PODS_BY_NODE.affectedBy(change, before).contains(observations.node())) {
                    queue.enqueue(change.key());
                    if (change.isRemoval()) {
                        ObjectKey.ifValid(REMOVED_PODS + '/' + StoredJson.uid(change.object()))
                                .ifPresent(queue::enqueue);
                    }
                }
            }
            case "configmaps", "secrets" -> {
                for (StoredObject pod :
                        world.find(PODS_BY_ENVIRONMENT, new NodeValue<>(observations.node(), change.key()))) {
                    cache.clearFailures(StoredJson.uid(pod));
                    queue.enqueue(pod.key());
                }
            }
            case "nodes" -> {
                // At the start, or when the Node first reports an engine. Other Node changes, such as mounts, are
                // frequent and not relevant.
                if (change.isRemoval()
                        || !before.map(PodController::relevantFields)
                                .equals(Optional.of(relevantFields(change.object())))) {
                    queue.enqueue(PodRequeue.ALL_PODS);
                }
            }
            default -> {
                // reported by PodDeletion
            }
        }
    }

    private static List<NodeValue<ObjectKey>> environment(StoredObject object) {
        // The names of all fields with references end like this.
        if (!object.containsText("Ref\"")) {
            return List.of();
        }
        Pod pod = Pod.of(object);
        return PodReferences.ofEnvironment(pod).stream()
                .map(each -> new NodeValue<>(pod.nodeName(), each))
                .toList();
    }

    /** Returns the fields of a Node that concern its Pods. */
    private static String relevantFields(StoredObject node) {
        Node now = Node.of(node);
        return now.engineVersion() + now.status().path("addresses");
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (key.equals(PodRequeue.ALL_PODS)) {
            Set<ObjectKey> pods =
                    new LinkedHashSet<>(world.index(Indexes.PODS_BY_NODE).keys(observations.node()));
            pods.addAll(cache.pods());
            return Decision.none().withEffects(new PodEffect.EnqueuePods(pods));
        }
        if (key.resource().equals(REMOVED_PODS)) {
            return Decision.none().withEffects(new PodEffect.ForgetPod(key.name()));
        }
        Optional<Pod> pod =
                world.get(key).map(Pod::of).filter(each -> each.nodeName().equals(observations.node()));
        if (pod.flatMap(DockerMount::of).isPresent()) {
            return Decision.of(pod.filter(each -> each.isBeingDeleted() && !PodVolumes.isRunning(each))
                    .flatMap(each -> podDeletion.proposalFor(world, each, name())));
        }
        if (!cache.isPresent() || !hasEngine(world)) {
            return withoutEngine(world, pod, now);
        }
        Decision decision = pod.map(each -> syncPod(world, each, now)).orElseGet(Decision::none);
        List<Effect> effects = new ArrayList<>(decision.effects());
        for (String uid : cache.uidsOf(key)) {
            if (pod.filter(each -> each.uid().equals(uid)).isEmpty()) {
                Optional<Instant> again = removeLeftovers(uid, key, now, effects);
                decision = again.isPresent() ? requeueSooner(decision, Duration.between(now, again.get())) : decision;
            }
        }
        return decision.withEffects(effects);
    }

    private static Decision requeueSooner(Decision decision, Duration wait) {
        return decision.requeueAfter().filter(has -> has.compareTo(wait) <= 0).isPresent()
                ? decision
                : decision.requeueAfter(wait);
    }

    /** Returns whether the Node has reported an engine; it does so before the first container is created. */
    private boolean hasEngine(World world) {
        return world.get(Node.key(observations.node()))
                .map(Node::of)
                .filter(node -> !node.engineVersion().isEmpty())
                .isPresent();
    }

    /**
     * Decides without an engine. If the node never had one, nothing can run, so a deleted Pod is released. A pending
     * Pod gets the reason.
     */
    private Decision withoutEngine(World world, Optional<Pod> found, Instant now) {
        if (found.isEmpty()) {
            return Decision.none();
        }
        Pod pod = found.get();
        if (pod.isBeingDeleted()) {
            return cache.mayRun(pod.uid()) ? Decision.none() : Decision.of(podDeletion.proposalFor(world, pod, name()));
        }
        if (pod.isFinished() || pod.status().hasNonNull("containerStatuses") || cache.isPresent()) {
            return Decision.none();
        }
        PodPlannerInput input = new PodPlannerInput(
                pod, ContainerCache.CachedPod.EMPTY, VolumeReadiness.of(world, pod), queries(pod, now), now);
        PodPlan plan = new PodPlan();
        String why = "the container engine does not answer: " + cache.absence();
        for (String list : ObservedContainer.Kind.SPECS) {
            input.containers(list).forEach(each -> plan.setWaiting(each.name(), PodPlanner.CREATING, why));
        }
        List<Proposal> proposals = new ArrayList<>();
        proposals.add(report(pod, PodStatus.of(new PodObserver(observations, world).observe(input, plan))));
        warningEvents.withoutEngine(world, input, why).ifPresent(proposals::add);
        return Decision.of(proposals);
    }

    /**
     * Removes the remaining containers of a Pod that does not exist any more. Returns when to check again, if it is too
     * early.
     */
    private Optional<Instant> removeLeftovers(String uid, ObjectKey key, Instant now, List<Effect> effects) {
        effects.add(new PodEffect.ForgetPod(uid));
        ContainerCache.CachedPod cachedPod = cache.cachedPod(uid);
        if (cachedPod.all().isEmpty()) {
            effects.add(new PodEffect.ForgetFailures(uid));
            return Optional.empty();
        }
        Optional<Instant> due =
                Optional.ofNullable(cachedPod.failures().get(PodAction.REMOVAL)).flatMap(each -> each.retryTime(now));
        if (due.isPresent()) {
            return due;
        }
        if (cachedPod.busy().keySet().stream().allMatch(slot -> createsNothing(slot, cachedPod))) {
            effects.add(new PodEffect.RemoveLeftovers(uid, key, cachedPod.all()));
        }
        return Optional.empty();
    }

    /**
     * Returns whether the slot's container is running already: its action creates nothing, so it need not be waited
     * for.
     */
    private static boolean createsNothing(String slot, ContainerCache.CachedPod cachedPod) {
        return cachedPod.all().stream().filter(ContainerFacts::isLive).anyMatch(each -> {
            String name = each.identity().container();
            return !name.isEmpty()
                    && List.of(
                                    PodAction.slot(name),
                                    PodAction.StopContainer.slot(name),
                                    PodAction.ShortenGrace.slot(name))
                            .contains(slot);
        });
    }

    private Decision syncPod(World world, Pod pod, Instant now) {
        VolumeReadiness volumes = VolumeReadiness.of(world, pod);
        ContainerCache.CachedPod cachedPod = cache.cachedPod(pod.uid());
        PodPlannerInput input = new PodPlannerInput(pod, cachedPod, volumes, queries(pod, now), now);
        PodPlan plan = PodPlanner.plan(input);
        PodObserver observer = new PodObserver(observations, world);
        if (pod.isBeingDeleted()
                && cachedPod.all().isEmpty()
                && cachedPod.busy().isEmpty()) {
            // Its containers may have ended unobserved. Its volumes stay as long as its status is running.
            return Decision.of(
                            PodVolumes.isRunning(pod)
                                    ? Optional.of(report(pod, PodStatus.of(observer.observe(input, plan))))
                                    : podDeletion.proposalFor(world, pod, name()))
                    .withEffects(new PodEffect.ForgetPod(pod.uid()), new PodEffect.ForgetFailures(pod.uid()));
        }
        List<PodEffect> unread = observer.unreadMessages(input);
        if (!unread.isEmpty()) {
            return Decision.none().withEffects(unread);
        }
        ObservedPod observed = observer.observe(input, plan);
        List<Proposal> proposals = new ArrayList<>();
        List<PodEffect> effects = new ArrayList<>();
        ObjectNode status = PodStatus.of(observed);
        if (!status.equals(pod.status())) {
            proposals.add(report(pod, status));
        }
        if (observations.hasProbes(pod, observed.containers())) {
            effects.add(new PodEffect.UpdateProbes(pod, observed.containers(), observed.address()));
        }
        plan.images().forEach(each -> effects.add(new PodEffect.RequestImage(pod, each)));
        // Ended containers are removed after the Pod's status reports how they ended: effects follow the proposals.
        plan.actions().forEach(action -> effects.add(new PodEffect.RunAction(pod, action)));
        warnOfVolumes(world, input, plan, proposals, effects);
        proposals.addAll(warningEvents.crashLoops(world, input, observed));
        Decision decision = Decision.of(proposals).withEffects(effects);
        return plan.next().map(when -> decision.requeueAt(when, now)).orElse(decision);
    }

    private void warnOfVolumes(
            World world, PodPlannerInput input, PodPlan plan, List<Proposal> proposals, List<PodEffect> effects) {
        String uid = input.pod().uid();
        Optional<Instant> since = observations.waitsForVolumesSince(uid);
        if (!PodWarningEvents.waitsForVolumes(input)) {
            since.ifPresent(unused -> effects.add(new PodEffect.NoteVolumeWait(uid, Optional.empty())));
            return;
        }
        if (since.isEmpty()) {
            effects.add(new PodEffect.NoteVolumeWait(uid, Optional.of(input.now())));
        }
        warningEvents
                .blockedVolumes(world, input, since.orElse(input.now()), plan)
                .ifPresent(proposals::add);
    }

    private Proposal report(Pod pod, ObjectNode status) {
        ObjectNode next = pod.copy();
        next.set("status", status);
        ObjectNode before = pod.status() instanceof ObjectNode was ? was : status.objectNode();
        return Proposal.by(name(), PodStatus.eventType(before, status))
                .because(pod.cause())
                .replace(pod.stored(), Draft.of(pod.key(), next))
                .build();
    }

    private PodPlannerInput.Queries queries(Pod pod, Instant now) {
        return new PodPlannerInput.Queries() {
            @Override
            public ImageState image(JsonNode spec) {
                return observations.image(pod, spec, now);
            }

            @Override
            public ProbeManager.ProbeStatus probeStatus(JsonNode spec, String containerId) {
                return observations.probeStatus(pod, spec, containerId);
            }

            @Override
            public Optional<Duration> grace(JsonNode spec, String probe) {
                OptionalLong seconds = ProbeManager.graceSeconds(spec, probe);
                return seconds.isPresent() ? Optional.of(Duration.ofSeconds(seconds.getAsLong())) : Optional.empty();
            }

            @Override
            public String hash(JsonNode spec) {
                return ContainerSpecs.specHash(spec);
            }

            @Override
            public boolean needsAddress(JsonNode spec) {
                return ContainerSpecs.needsAddress(pod, spec);
            }
        };
    }
}
