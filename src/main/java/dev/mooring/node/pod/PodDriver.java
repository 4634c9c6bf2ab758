package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.desired.PodVolumes;
import dev.mooring.node.image.ImageState;
import dev.mooring.node.pod.status.PodStatus;
import dev.mooring.node.probe.Probes;
import dev.mooring.node.probe.Verdict;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Makes the containers of a node follow its Pods, and the status of Pods follow their containers. Keyed by Pods; woken by changes of the World, and by
 * what happens in the engine. Decides nothing about containers while the engine is away: Pods keep what was known last.
 *
 * <p>Effects go through {@link PodWork}, one at a time for each container, so one Pod's trouble delays no other. All it knows can be found again in the
 * World and in the engine.
 */
public final class PodDriver implements Controller {
    private static final String PODS = "pods";

    private final PodParts parts;
    private final PodWork work;
    private final Departure departure;
    private final PodIndex index;
    private final PodRemarks remarks;
    private Consumer<ObjectKey> wake = key -> {};

    public PodDriver(PodParts parts) {
        this.parts = parts;
        this.work = new PodWork(parts);
        this.departure = new Departure(parts.node());
        this.index = new PodIndex(parts.node());
        this.remarks = new PodRemarks(parts.actor());
    }

    @Override
    public String name() {
        return parts.actor();
    }

    @Override
    public String part() {
        return PODS;
    }

    @Override
    public void wakeable(Consumer<ObjectKey> wake) {
        this.wake = wake;
        parts.wakes().lead(wake);
    }

    @Override
    public List<Scope> scopes() {
        List<Scope> scopes = new ArrayList<>(
                Departure.resources().stream().map(Scope::resource).toList());
        scopes.add(Scope.resource("configmaps"));
        scopes.add(Scope.resource("secrets"));
        scopes.add(Scope.object(Node.key(parts.node())));
        return scopes;
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        departure.follow(change, before, world, wakes::now);
        switch (change.key().resource()) {
            case PODS -> {
                if (index.pod(change)) {
                    wakes.now(change.key());
                }
                if (change.isRemoval()) {
                    forget(StoredJson.uid(change.object()));
                }
            }
            case "configmaps", "secrets" -> {
                for (ObjectKey pod : index.using(change.key())) {
                    world.get(pod).map(StoredJson::uid).ifPresent(parts.book()::forgetTroubles);
                    wakes.now(pod);
                }
            }
            case "nodes" -> {
                // The beginning, or the Node says for the first time that there is an engine. What else a Node says
                // changes with each mount.
                if (change.isRemoval()
                        || !before.map(PodDriver::concern).equals(Optional.of(concern(change.object())))) {
                    wakes.now(PodWakes.EVERYTHING);
                }
            }
            default -> {
                // told by the departure
            }
        }
    }

    /** What of a Node concerns its Pods. */
    private static String concern(StoredObject node) {
        Node now = Node.of(node);
        return now.engineVersion() + now.status().path("addresses");
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (key.equals(PodWakes.EVERYTHING)) {
            index.all().forEach(wake);
            parts.book().pods().forEach(wake);
            return Decision.nothing();
        }
        Optional<Pod> pod =
                world.get(key).map(Pod::of).filter(each -> each.nodeName().equals(parts.node()));
        if (!parts.book().isPresent() || !hasEngine(world)) {
            return withoutEngine(world, pod, now);
        }
        Decision decision = pod.map(each -> drive(world, each, now)).orElseGet(Decision::nothing);
        for (String uid : parts.book().uidsOf(key)) {
            if (pod.filter(each -> each.uid().equals(uid)).isEmpty()) {
                Optional<Instant> again = clearAway(uid, key, now);
                decision = again.isPresent() ? sooner(decision, Duration.between(now, again.get())) : decision;
            }
        }
        return decision;
    }

    private static Decision sooner(Decision decision, Duration wait) {
        return decision.lookAgain().filter(has -> has.compareTo(wait) <= 0).isPresent()
                ? decision
                : decision.lookAgainAfter(wait);
    }

    /** Whether the Node says so: that there has been one is written down before anything is made in it. */
    private boolean hasEngine(World world) {
        return world.get(Node.key(parts.node()))
                .map(Node::of)
                .filter(node -> !node.engineVersion().isEmpty())
                .isPresent();
    }

    /** Where there was never an engine nothing can run, so a Pod may go. One that waits to begin is told why. */
    private Decision withoutEngine(World world, Optional<Pod> found, Instant now) {
        if (found.isEmpty()) {
            return Decision.nothing();
        }
        Pod pod = found.get();
        if (pod.isBeingDeleted()) {
            return parts.book().mayRun(pod.uid()) ? Decision.nothing() : Decision.of(departure.of(world, pod, name()));
        }
        if (pod.isFinished()
                || pod.status().hasNonNull("containerStatuses")
                || parts.book().isPresent()) {
            return Decision.nothing();
        }
        PodLook look = new PodLook(pod, ContainerBook.Page.EMPTY, VolumeReadiness.of(world, pod), outside(pod), now);
        PodPlan plan = new PodPlan();
        String why = "the container engine does not answer: " + parts.book().absence();
        for (String list : List.of("initContainers", "containers")) {
            look.members(list).forEach(each -> plan.waits(each.name(), PodPlanner.CREATING, why));
        }
        List<Proposal> proposals = new ArrayList<>();
        proposals.add(report(pod, PodStatus.of(new Sights(parts, world).of(look, plan))));
        remarks.withoutEngine(world, look, why).ifPresent(proposals::add);
        return Decision.of(proposals);
    }

    /** What is left of a Pod that does not exist any more. When to look at it again, if it is too early. */
    private Optional<Instant> clearAway(String uid, ObjectKey key, Instant now) {
        forget(uid);
        ContainerBook.Page page = parts.book().page(uid);
        if (page.all().isEmpty()) {
            parts.book().forgetTroubles(uid);
            return Optional.empty();
        }
        Optional<Instant> due =
                Optional.ofNullable(page.troubles().get(Step.REMOVAL)).flatMap(each -> each.due(now));
        if (due.isPresent()) {
            return due;
        }
        if (page.busy().keySet().stream().allMatch(slot -> isOnlyAboutWhatRuns(slot, page))) {
            work.clearAway(uid, key, page.all());
        }
        return Optional.empty();
    }

    /** Whether what is being done makes nothing new: then it need not be waited for, and may take long. */
    private static boolean isOnlyAboutWhatRuns(String slot, ContainerBook.Page page) {
        return page.all().stream().filter(ContainerFacts::isLive).anyMatch(each -> {
            String name = each.whose().container();
            return !name.isEmpty()
                    && List.of(Step.slot(name), Step.Stop.slot(name), Step.Hasten.slot(name))
                            .contains(slot);
        });
    }

    private void forget(String uid) {
        parts.images().forget(uid);
        parts.probes().forget(uid);
        parts.messages().forget(uid);
        remarks.forget(uid);
    }

    private Decision drive(World world, Pod pod, Instant now) {
        VolumeReadiness volumes = VolumeReadiness.of(world, pod);
        ContainerBook.Page page = parts.book().page(pod.uid());
        PodLook look = new PodLook(pod, page, volumes, outside(pod), now);
        PodPlan plan = PodPlanner.plan(look);
        if (pod.isBeingDeleted() && page.all().isEmpty() && page.busy().isEmpty()) {
            forget(pod.uid());
            parts.book().forgetTroubles(pod.uid());
            // Its containers may have gone while nobody looked. As long as it says that they run, its volumes stay.
            return PodVolumes.isRunning(pod)
                    ? Decision.of(report(pod, PodStatus.of(new Sights(parts, world).of(look, plan))))
                    : Decision.of(departure.of(world, pod, name()));
        }
        PodSight sight = new Sights(parts, world).of(look, plan);
        parts.probes().follow(pod, sight.containers(), sight.address(), parts.wakes());
        List<Proposal> proposals = new ArrayList<>();
        ObjectNode status = PodStatus.of(sight);
        boolean told = status.equals(pod.status());
        if (!told) {
            proposals.add(report(pod, status));
        }
        // What ended is removed when the Pod says how it ended.
        plan.steps().stream()
                .filter(step -> told || !(step instanceof Step.Remove))
                .forEach(step -> work.begin(pod, step));
        remarks.blockedVolumes(world, look, plan).ifPresent(proposals::add);
        proposals.addAll(remarks.crashLoops(world, look, sight));
        Decision decision = Decision.of(proposals);
        return plan.next().map(when -> decision.lookAgainAt(when, now)).orElse(decision);
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

    private PodLook.Outside outside(Pod pod) {
        return new PodLook.Outside() {
            @Override
            public ImageState image(JsonNode spec) {
                return parts.images().wanted(pod, spec, parts.wakes());
            }

            @Override
            public Verdict verdict(JsonNode spec, String containerId) {
                return parts.probes().verdict(pod, spec, containerId);
            }

            @Override
            public Optional<Duration> grace(JsonNode spec, String probe) {
                OptionalLong seconds = Probes.graceSeconds(spec, probe);
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
