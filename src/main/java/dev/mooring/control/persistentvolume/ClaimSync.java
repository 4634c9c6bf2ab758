package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Annotations;
import dev.mooring.control.BindProposals;
import dev.mooring.control.Conditions;
import dev.mooring.control.Decision;
import dev.mooring.control.persistentvolume.ClaimDecision.AssignDefaultClass;
import dev.mooring.control.persistentvolume.ClaimDecision.Bind;
import dev.mooring.control.persistentvolume.ClaimDecision.NameProvisioner;
import dev.mooring.control.persistentvolume.ClaimDecision.Nothing;
import dev.mooring.control.persistentvolume.ClaimDecision.ProvisioningUnderway;
import dev.mooring.control.persistentvolume.ClaimDecision.StartProvisioning;
import dev.mooring.control.persistentvolume.ClaimDecision.Unbound;
import dev.mooring.control.persistentvolume.ClaimDecision.UnboundReason;
import dev.mooring.control.persistentvolume.ClaimStatusWriter.StatusMessage;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Indexes;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reconciles one claim: finds its volume or reports why there is none. {@link #decide} is pure; {@link #sync} also
 * records assumptions.
 */
final class ClaimSync {
    private static final String ACTOR = StorageNames.VOLUME_CONTROLLER_NAME;
    private static final String PENDING = "Pending";
    private static final String LOST = "Lost";
    private static final String LOST_VOLUME = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";

    /**
     * Delay before a claim is reconciled again whose volume is assumed by another claim; by then that binding is
     * committed or failed.
     */
    private static final Duration ASSUMED_RETRY_DELAY = Duration.ofMillis(50);

    private final World world;
    private final Claim claim;
    private final BinderCache cache;
    private final Instant now;
    private final ClaimStatusWriter status;
    private boolean assumedByOther;

    ClaimSync(World world, Claim claim, BinderCache cache, Instant now) {
        this.world = world;
        this.claim = claim;
        this.cache = cache;
        this.now = now;
        this.status = new ClaimStatusWriter(world, now);
    }

    Decision sync() {
        cache.assumptions().forgetClaim(claim.key());
        Decision decision = carryOut(decide());
        return assumedByOther ? decision.requeueAfter(ASSUMED_RETRY_DELAY) : decision;
    }

    /** Decides what to do with the claim, and why. */
    ClaimDecision decide() {
        if (claim.isBindCompleted()) {
            return decideBound();
        }
        return claim.volumeName().isEmpty() ? decideUnbound() : decideNamedVolume();
    }

    private Decision carryOut(ClaimDecision decision) {
        if (decision instanceof Bind bind) {
            if (bind.wasFree()) {
                cache.assumptions().assume(bind.volume(), claim);
            }
            return Decision.of(BindProposals.bind(bind.volume(), claim, ACTOR, now));
        }
        if (decision instanceof AssignDefaultClass assign) {
            return Decision.of(assignDefaultClass(assign.storageClass()));
        }
        if (decision instanceof NameProvisioner name) {
            return Decision.of(setProvisionerAnnotation(name.storageClass()));
        }
        if (decision instanceof StartProvisioning start) {
            return Decision.of(start.proposal());
        }
        return decision instanceof Unbound unbound
                ? report(unbound)
                : Decision.none(); // the provision controller reports progress
    }

    private Decision report(Unbound unbound) {
        StatusMessage message = unbound.message();
        return switch (unbound.reason()) {
            case VOLUME_MISSING -> Decision.of(status.unboundStatus(claim, PENDING, message));
            // If this controller had bound the claim, another client changed the volume, and nothing else is written.
            case VOLUME_TAKEN ->
                claim.isBoundByController() ? Decision.of(status.event(claim, message)) : reportMismatch(message);
            case VOLUME_MISMATCH -> reportMismatch(message);
            case VOLUME_LOST -> Decision.of(status.reportUnbound(claim, LOST, message.with(lostVolumeDetail())));
            case REFERENCE_LOST, MISBOUND, VOLUME_REPLACED -> Decision.of(status.reportUnbound(claim, LOST, message));
            default -> reportPending(message);
        };
    }

    /** Decides for a claim that names no volume: binds it to a matching volume or provisions one. */
    private ClaimDecision decideUnbound() {
        Optional<Volume> reserved = VolumeSearch.reservedFor(world, claim);
        if (reserved.isPresent()) {
            return new Bind(reserved.get(), false);
        }
        if (claim.isBeingDeleted()) {
            return new Nothing();
        }
        Optional<StorageClass> storageClass =
                Lookup.storageClass(world, claim.className().orElse(""));
        boolean waits = storageClass.filter(StorageClass::waitsForConsumer).isPresent();
        Optional<Volume> free =
                waits ? Optional.empty() : VolumeSearch.findFor(world, claim, this::isNotAssumed, this::canReach);
        if (free.isPresent()) {
            assumedByOther = false;
            return new Bind(free.get(), true);
        }
        if (claim.className().isEmpty()) {
            Optional<StorageClass> defaultClass = Lookup.defaultClass(world);
            if (defaultClass.isPresent()) {
                return new AssignDefaultClass(defaultClass.get());
            }
        }
        if (waits && claim.selectedNode().isEmpty()) {
            return waitsForConsumer();
        }
        String className = claim.className().orElse("");
        if (className.isEmpty()) {
            return new Unbound(
                    UnboundReason.NO_CLASS,
                    StatusMessage.normal(
                                    EventReasons.FAILED_BINDING,
                                    "no persistent volumes available for this claim and no storage class is set")
                            .with(noMatchReport()));
        }
        return provision(className, storageClass);
    }

    private boolean isNotAssumed(VolumeSearch.Candidate candidate) {
        boolean assumed = cache.assumptions().isAssumedByOther(candidate.stored(), claim);
        assumedByOther |= assumed;
        return !assumed;
    }

    private boolean canReach(Volume volume) {
        return canReach(world, volume, claim);
    }

    /**
     * Returns whether the Pods that use the claim can reach the volume, or any node if no Pod has a node; and no other
     * claim is bound to it.
     */
    static boolean canReach(World world, Volume volume, Claim claim) {
        return isReachable(world, volume, claim) && !isBoundToOther(world, volume, claim);
    }

    static boolean isReachable(World world, Volume volume, Claim claim) {
        if (volume.nodeAffinity().isAny()) {
            return true;
        }
        List<Node> nodes = users(world, claim)
                .filter(Pod::isScheduled)
                .flatMap(pod -> world.get(Node.key(pod.nodeName())).stream())
                .map(Node::of)
                .toList();
        return nodes.isEmpty()
                ? Lookup.isReachable(world, volume.nodeAffinity())
                : nodes.stream().allMatch(volume.nodeAffinity()::matches);
    }

    /** Returns the Pods that use a claim and have not finished. */
    static Stream<Pod> users(World world, Claim claim) {
        return world.find(Indexes.PODS_BY_CLAIM, claim.key()).stream()
                .map(Pod::of)
                .filter(pod -> !pod.isFinished());
    }

    /**
     * Returns whether another claim was bound to a volume and still names it, though the volume does not name the
     * claim. That claim has priority.
     */
    static boolean isBoundToOther(World world, Volume volume, Claim claim) {
        return world.find(Indexes.CLAIMS_BY_VOLUME, volume.name()).stream()
                .filter(each -> !each.key().equals(claim.key()))
                .anyMatch(each -> isBoundByStatus(Claim.of(each), volume));
    }

    /** Checks the status, which only the controller writes; any client may set the annotation. */
    private static boolean isBoundByStatus(Claim claim, Volume volume) {
        return claim.isBindCompleted()
                && claim.status().path(BindProposals.VOLUME_UID).asText("").equals(volume.uid());
    }

    /** Assigns the default class to a claim that was created before the default class existed. */
    private Proposal assignDefaultClass(StorageClass defaultClass) {
        ObjectNode next = claim.copy();
        next.withObject("/spec").put("storageClassName", defaultClass.name());
        return Proposal.by(ACTOR, "DefaultClassAssigned")
                .because(defaultClass.revision() > claim.revision() ? defaultClass.cause() : claim.cause())
                .replace(claim.stored(), Draft.of(claim.key(), next))
                .expect(defaultClass.stored())
                .build();
    }

    private ClaimDecision waitsForConsumer() {
        List<Pod> pods = users(world, claim).filter(pod -> !pod.isScheduled()).toList();
        if (pods.isEmpty()) {
            return new Unbound(
                    UnboundReason.CONSUMER_MISSING,
                    StatusMessage.normal(
                            EventReasons.WAIT_FOR_FIRST_CONSUMER,
                            "waiting for first consumer to be created before binding; this is not an error; next:"
                                    + " create a Pod that uses the claim"));
        }
        String names = pods.stream().map(Pod::name).sorted().limit(5).collect(Collectors.joining(","));
        return new Unbound(
                UnboundReason.CONSUMER_NOT_SCHEDULED,
                StatusMessage.normal(
                        EventReasons.WAIT_FOR_POD_SCHEDULED, "waiting for pod " + names + " to be scheduled"));
    }

    private ClaimDecision provision(String className, Optional<StorageClass> storageClass) {
        if (storageClass.isEmpty()) {
            return new Unbound(
                    UnboundReason.CLASS_MISSING,
                    StatusMessage.warning(
                                    EventReasons.PROVISIONING_FAILED,
                                    "storageclass.storage.k8s.io \"" + className + "\" not found")
                            .with(noMatchReport()));
        }
        StorageClass found = storageClass.get();
        if (found.isMooringProvisioned()) {
            return provisionInternally(found);
        }
        if (found.provisioner().startsWith("kubernetes.io/")) {
            return new Unbound(
                    UnboundReason.PROVISIONER_MISSING,
                    StatusMessage.warning(
                                    EventReasons.PROVISIONING_FAILED,
                                    "no volume plugin matched name: " + found.provisioner()
                                            + " (no provisioner for class " + className + ")")
                            .with(noMatchReport()));
        }
        return provisionExternally(found);
    }

    private ClaimDecision provisionInternally(StorageClass found) {
        Provisioning.StartResult start = Provisioning.decide(world, claim, found, now);
        if (start instanceof Provisioning.StartResult.Begin begin) {
            return new StartProvisioning(begin.proposal());
        }
        if (start instanceof Provisioning.StartResult.Underway underway) {
            return new ProvisioningUnderway(underway.operation(), underway.message());
        }
        if (!claim.hasDataSource() && !hasProvisionerAnnotation(found)) {
            return new NameProvisioner(found); // Kubernetes sets the annotation before it validates
        }
        return new Unbound(
                UnboundReason.PROVISIONING_IMPOSSIBLE,
                StatusMessage.warning(
                        EventReasons.PROVISIONING_FAILED, ((Provisioning.StartResult.Impossible) start).message()));
    }

    /** Leaves the claim to an external provisioner and records an Event. */
    private ClaimDecision provisionExternally(StorageClass found) {
        StatusMessage statusMessage = StatusMessage.normal(
                EventReasons.EXTERNAL_PROVISIONING,
                "Waiting for a volume to be created either by the external provisioner '" + found.provisioner()
                        + "' or manually by the system administrator. If volume creation is delayed, please verify that"
                        + " the provisioner is running and correctly registered.");
        return hasProvisionerAnnotation(found)
                ? new Unbound(UnboundReason.EXTERNAL_PROVISIONER, statusMessage)
                : new NameProvisioner(found);
    }

    private boolean hasProvisionerAnnotation(StorageClass found) {
        return claim.annotation(StorageNames.STORAGE_PROVISIONER).orElse("").equals(found.provisioner());
    }

    /** Sets both annotations by which provisioners find their claims. */
    private Proposal setProvisionerAnnotation(StorageClass found) {
        ObjectNode next = claim.copy();
        Annotations.put(next, StorageNames.BETA_STORAGE_PROVISIONER, found.provisioner());
        Annotations.put(next, StorageNames.STORAGE_PROVISIONER, found.provisioner());
        return Proposal.by(ACTOR, "ProvisionerNamed")
                .because(claim.cause())
                .replace(claim.stored(), Draft.of(claim.key(), next))
                .expect(found.stored())
                .build();
    }

    /** Decides for a claim that names a volume but is not bound yet. */
    private ClaimDecision decideNamedVolume() {
        Optional<Volume> found = Lookup.volume(world, claim.volumeName());
        if (found.isEmpty()) {
            return decideMissingVolume();
        }
        Volume volume = found.get();
        Optional<ClaimRef> ref = volume.claimRef();
        if (ref.isPresent() && !ref.get().admits(claim)) {
            return volumeTaken(volume, ref.get());
        }
        Optional<MismatchReason> misfit = ref.isEmpty()
                ? VolumeMatcher.mismatchOfNamed(volume, claim)
                : Optional.of(MismatchReason.TOO_SMALL).filter(tooSmall -> VolumeMatcher.isTooSmall(volume, claim));
        if (misfit.isEmpty() && Lookup.isBeingEmptied(world, volume)) {
            return volumeMismatch(
                    EventReasons.VOLUME_MISMATCH,
                    "Cannot bind to requested volume \"" + volume.name() + "\": its data is being deleted or scrubbed");
        }
        if (misfit.isPresent()) {
            return volumeMismatch(EventReasons.VOLUME_MISMATCH, mismatch(volume, misfit.get()));
        }
        if (ref.isEmpty() && isBoundToOther(world, volume, claim)) {
            return volumeMismatch(
                    EventReasons.FAILED_BINDING,
                    "volume \"" + volume.name()
                            + "\" already bound to a different claim. (It has lost its claimRef, but a"
                            + " bound claim still names it)");
        }
        if (ref.isEmpty() && cache.assumptions().isAssumedByOther(volume.stored(), claim)) {
            assumedByOther = true;
            return new Nothing();
        }
        return new Bind(volume, true);
    }

    private ClaimDecision decideMissingVolume() {
        Optional<StorageClass> storageClass =
                Lookup.storageClass(world, claim.className().orElse(""));
        if (claim.isBeingDeleted()) {
            return new Nothing();
        }
        if (storageClass.filter(StorageClass::createsMissingVolumes).isPresent()) {
            return provisionInternally(storageClass.get());
        }
        return new Unbound(
                UnboundReason.VOLUME_MISSING,
                StatusMessage.normal(
                        EventReasons.VOLUME_NOT_FOUND,
                        "waiting for PersistentVolume \"" + claim.volumeName()
                                + "\", which spec.volumeName of the claim names, to be created"));
    }

    private static Unbound volumeMismatch(String reason, String message) {
        return new Unbound(UnboundReason.VOLUME_MISMATCH, StatusMessage.warning(reason, message));
    }

    private String mismatch(Volume volume, MismatchReason misfit) {
        String text = "Cannot bind to requested volume \"" + volume.name() + "\": " + misfit.text();
        return switch (misfit) {
            case BEING_DELETED -> text + " \"" + volume.name() + '"';
            case TOO_SMALL ->
                text + " (" + volume.capacity().map(Object::toString).orElse("no size") + " < " + claim.request() + ')';
            case CLASS_MISMATCH ->
                text + " (\"" + volume.className() + "\" ≠ \""
                        + claim.className().orElse("") + "\")";
            case VOLUME_MODE_MISMATCH -> text + " (" + volume.mode() + " ≠ " + claim.mode() + ')';
            case ACCESS_MODE_MISMATCH ->
                text + " (it has " + volume.accessModes() + ", requested " + claim.accessModes() + ')';
            default -> text;
        };
    }

    private static Unbound volumeTaken(Volume volume, ClaimRef holder) {
        return new Unbound(
                UnboundReason.VOLUME_TAKEN,
                StatusMessage.warning(
                        EventReasons.FAILED_BINDING,
                        "volume \"" + volume.name() + "\" already bound to a different claim. (It is "
                                + (volume.phase().isEmpty() ? PENDING : volume.phase()) + ", with claimRef " + holder
                                + ')'));
    }

    /** Reports a mismatch: in Minik8s compatibility mode the claim fails, in Kubernetes mode it stays pending. */
    private Decision reportMismatch(StatusMessage statusMessage) {
        boolean minik8s = Lookup.storageClass(world, claim.className().orElse(""))
                .filter(StorageClass::createsMissingVolumes)
                .isPresent();
        return Decision.of(status.reportUnbound(claim, minik8s ? "Failed" : PENDING, statusMessage));
    }

    private Decision reportPending(StatusMessage statusMessage) {
        if (cache.isFirstSync(claim)) {
            return Decision.none().requeueAfter(PersistentVolumeController.NEW_OBJECT_DELAY);
        }
        return Decision.of(status.reportUnbound(claim, PENDING, statusMessage));
    }

    private String noMatchReport() {
        return ": " + NoMatchReport.of(world, claim);
    }

    /** Decides for a claim that was bound: it is still bound, or its volume is lost. */
    private ClaimDecision decideBound() {
        if (claim.volumeName().isEmpty()) {
            return lost(
                    UnboundReason.REFERENCE_LOST,
                    EventReasons.CLAIM_LOST,
                    "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
                    " spec.volumeName is empty; next: delete this claim and create it again, with spec.volumeName set"
                            + " to the PersistentVolume if that still exists");
        }
        Optional<Volume> found = Lookup.volume(world, claim.volumeName());
        if (found.isEmpty()) {
            return lost(UnboundReason.VOLUME_LOST, EventReasons.CLAIM_LOST, LOST_VOLUME, "");
        }
        Volume volume = found.get();
        Optional<ClaimRef> ref = volume.claimRef();
        if (ref.isPresent() && !ref.get().uid().equals(claim.uid())) {
            return lost(
                    UnboundReason.MISBOUND,
                    EventReasons.CLAIM_MISBOUND,
                    "Two claims are bound to the same volume, this one is bound incorrectly (the volume has claimRef "
                            + ref.get() + ')',
                    "; next: delete this claim, and create it again without spec.volumeName if it needs a volume");
        }
        String remembered = claim.status().path(BindProposals.VOLUME_UID).asText("");
        if (ref.isEmpty() && remembered.isEmpty()) {
            return decideNamedVolume(); // only the claim's own annotation proves that it was bound
        }
        if (!remembered.isEmpty() && !remembered.equals(volume.uid())) {
            return lost(
                    UnboundReason.VOLUME_REPLACED,
                    EventReasons.CLAIM_LOST,
                    LOST_VOLUME,
                    " (A volume \"" + volume.name() + "\" exists again, but with another uid: " + volume.uid()
                            + ", not " + remembered + "; next: delete this claim and create it again with"
                            + " spec.volumeName " + volume.name() + ")");
        }
        return new Bind(volume, false);
    }

    private static Unbound lost(UnboundReason reason, String eventReason, String message, String detail) {
        return new Unbound(reason, StatusMessage.warning(eventReason, message).with(detail));
    }

    /**
     * Returns the name of the lost volume and how to recover it. A message from when the deletion was observed survives
     * a restart.
     */
    private String lostVolumeDetail() {
        String name = claim.volumeName();
        Optional<String> deletion = cache.deletionOf(name);
        String observed = LOST_VOLUME + " PersistentVolume \"" + name + "\" (";
        Optional<String> before = Conditions.find(claim.tree(), BindProposals.BOUND_CONDITION)
                .map(condition -> condition.path("message").asText(""))
                .filter(message -> deletion.isEmpty() && message.startsWith(observed));
        return before.map(message -> message.substring(LOST_VOLUME.length()))
                .orElseGet(() -> " PersistentVolume \"" + name + "\" "
                        + deletion.orElse("does not exist (`mooring log cat --object persistentvolumes/" + name
                                + "` shows when it was deleted and by whom)")
                        + ". A new PersistentVolume is not bound to this claim; next: delete this claim, create a"
                        + " PersistentVolume with the same source and spec.claimRef {namespace: " + claim.namespace()
                        + ", name: " + claim.name() + "}, and create the claim again");
    }
}
