package dev.mooring.control.bind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.bind.Words.Saying;
import dev.mooring.control.provision.Provisioning;
import dev.mooring.model.Draft;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** One look at a claim: what it has, what it could get, and if nothing, why. Pure, but for noting what it promises. */
final class ClaimSync {
    private static final String ACTOR = StorageNames.VOLUME_CONTROLLER_NAME;
    private static final String PENDING = "Pending";

    /** When a claim looks again whose volume was promised to another: by then that one has it, or has let it go. */
    private static final Duration PROMISE = Duration.ofMillis(50);

    private final World world;
    private final Claim claim;
    private final Known known;
    private final Instant now;
    private final Words words;
    private boolean promisedAway;
    private boolean behind;

    ClaimSync(World world, Claim claim, Known known, Instant now) {
        this.world = world;
        this.claim = claim;
        this.known = known;
        this.now = now;
        this.words = new Words(world, now);
    }

    Decision decide() {
        known.assumptions().forgetClaim(claim.key());
        if (claim.isBindCompleted()) {
            return onceBound();
        }
        Decision decision = claim.volumeName().isEmpty() ? forAny() : forNamed();
        return promisedAway ? decision.lookAgainAfter(PROMISE) : decision;
    }

    /** It takes any volume that fits. */
    private Decision forAny() {
        Optional<Volume> reserved = known.volumes().reservedFor(world, claim);
        if (reserved.isPresent()) {
            return bind(reserved.get());
        }
        if (claim.isBeingDeleted()) {
            return Decision.nothing();
        }
        Optional<StorageClass> storageClass =
                Lookup.storageClass(world, claim.className().orElse(""));
        boolean waits = storageClass.filter(StorageClass::waitsForConsumer).isPresent();
        Optional<Volume> free =
                waits ? Optional.empty() : known.volumes().findFor(world, claim, this::isNotPromised, this::canReach);
        if (free.isPresent()) {
            promisedAway = false;
            known.assumptions().assume(free.get(), claim);
            return bind(free.get());
        }
        if (behind) {
            return Decision.nothing(); // one that may fit has just changed: when that is told, it looks for this claim
        }
        if (claim.className().isEmpty()) {
            Optional<StorageClass> standard = Lookup.defaultClass(world);
            if (standard.isPresent()) {
                return Decision.of(give(standard.get()));
            }
        }
        if (waits && claim.selectedNode().isEmpty()) {
            return say(waitsForConsumer());
        }
        String className = claim.className().orElse("");
        if (className.isEmpty()) {
            return say(Saying.normal(
                    "FailedBinding",
                    "no persistent volumes available for this claim and no storage class is set: " + survey()));
        }
        return provision(className, storageClass);
    }

    private boolean isNotPromised(VolumeIndex.Candidate candidate) {
        behind |= candidate.isAhead();
        boolean promised = candidate.isAhead() || known.assumptions().isPromised(candidate.stored(), claim);
        promisedAway |= promised;
        return !promised;
    }

    /** On the node of a Pod that has one, or else on any that exists. */
    private boolean canReach(Volume volume) {
        return isReachable(known, world, volume, claim) && !known.isAnothers(world, volume, claim);
    }

    /** Whether those who use the claim can reach the volume. */
    static boolean isReachable(Known known, World world, Volume volume, Claim claim) {
        if (volume.nodeAffinity().isAny()) {
            return true;
        }
        List<Node> users = known.pods().using(world, claim.key()).stream()
                .filter(Pod::isScheduled)
                .flatMap(pod -> world.get(Node.key(pod.nodeName())).stream())
                .map(Node::of)
                .toList();
        return users.isEmpty()
                ? known.isReachable(volume.nodeAffinity())
                : users.stream().allMatch(volume.nodeAffinity()::matches);
    }

    private Decision bind(Volume volume) {
        return Decision.of(Bind.proposal(volume, claim, ACTOR, now));
    }

    /** The default class, for a claim that was made before there was one. */
    private Proposal give(StorageClass standard) {
        ObjectNode next = claim.copy();
        next.withObject("/spec").put("storageClassName", standard.name());
        return Proposal.by(ACTOR, "DefaultClassAssigned")
                .because(standard.revision() > claim.revision() ? standard.cause() : claim.cause())
                .replace(claim.stored(), Draft.of(claim.key(), next))
                .expect(standard.stored())
                .build();
    }

    private Saying waitsForConsumer() {
        List<Pod> pods = known.pods().using(world, claim.key()).stream()
                .filter(pod -> !pod.isScheduled())
                .toList();
        if (pods.isEmpty()) {
            return Saying.normal(
                    "WaitForFirstConsumer",
                    "waiting for first consumer to be created before binding; nothing is wrong: next, create a Pod"
                            + " that uses the claim");
        }
        String names = pods.stream().map(Pod::name).sorted().limit(5).collect(Collectors.joining(","));
        return Saying.normal("WaitForPodScheduled", "waiting for pod " + names + " to be scheduled");
    }

    private Decision provision(String className, Optional<StorageClass> storageClass) {
        if (storageClass.isEmpty()) {
            return say(Saying.warning(
                    "ProvisioningFailed", "storageclass.storage.k8s.io \"" + className + "\" not found: " + survey()));
        }
        StorageClass found = storageClass.get();
        if (found.isOurs()) {
            return provisionOurselves(found);
        }
        if (found.provisioner().startsWith("kubernetes.io/")) {
            return say(Saying.warning(
                    "ProvisioningFailed",
                    "no volume plugin matched name: " + found.provisioner() + " (nobody makes volumes of class "
                            + className + "): " + survey()));
        }
        return provisionOutside(found);
    }

    private Decision provisionOurselves(StorageClass found) {
        Provisioning.Start start = Provisioning.decide(world, claim, found, now);
        if (start instanceof Provisioning.Start.Begin begin) {
            return Decision.of(begin.proposal());
        }
        if (start instanceof Provisioning.Start.Impossible impossible) {
            if (!claim.hasDataSource() && !isHandedTo(found)) {
                return Decision.of(handTo(found)); // as Kubernetes does before it finds out
            }
            return say(Saying.warning("ProvisioningFailed", impossible.message()));
        }
        return Decision.nothing(); // who follows the work says how far it is
    }

    /** Hands the claim to a provisioner outside, and says so. */
    private Decision provisionOutside(StorageClass found) {
        Saying saying = Saying.normal(
                "ExternalProvisioning",
                "Waiting for a volume to be created either by the external provisioner '" + found.provisioner()
                        + "' or manually by the system administrator. If volume creation is delayed, please verify that"
                        + " the provisioner is running and correctly registered.");
        return isHandedTo(found) ? say(saying) : Decision.of(handTo(found));
    }

    private boolean isHandedTo(StorageClass found) {
        return claim.annotation(StorageNames.STORAGE_PROVISIONER).orElse("").equals(found.provisioner());
    }

    /** Marks the claim as the business of its class's provisioner, under both names that provisioners look for. */
    private Proposal handTo(StorageClass found) {
        ObjectNode next = claim.copy();
        Bind.annotate(next, StorageNames.BETA_STORAGE_PROVISIONER, found.provisioner());
        Bind.annotate(next, StorageNames.STORAGE_PROVISIONER, found.provisioner());
        return Proposal.by(ACTOR, "ProvisionerNamed")
                .because(claim.cause())
                .replace(claim.stored(), Draft.of(claim.key(), next))
                .expect(found.stored())
                .build();
    }

    /** It asks for one volume by name. */
    private Decision forNamed() {
        Optional<Volume> found = Lookup.volume(world, claim.volumeName());
        if (found.isEmpty()) {
            return forMissing();
        }
        Volume volume = found.get();
        Optional<ClaimRef> ref = volume.claimRef();
        if (ref.isPresent() && !ref.get().admits(claim)) {
            return taken(volume, ref.get());
        }
        Optional<Misfit> misfit = ref.isEmpty()
                ? Fit.named(volume, claim)
                : Optional.of(Misfit.TOO_SMALL).filter(tooSmall -> Fit.isTooSmall(volume, claim));
        if (misfit.isEmpty() && Lookup.isBeingEmptied(world, volume)) {
            return sayMismatch(Saying.warning(
                    "VolumeMismatch",
                    "Cannot bind to requested volume \"" + volume.name()
                            + "\": its data is being deleted or scrubbed"));
        }
        if (misfit.isPresent()) {
            return sayMismatch(Saying.warning("VolumeMismatch", mismatch(volume, misfit.get())));
        }
        if (ref.isEmpty() && known.isAnothers(world, volume, claim)) {
            return sayMismatch(Saying.warning(
                    "FailedBinding",
                    "volume \"" + volume.name()
                            + "\" already bound to a different claim. (It has lost its claimRef, but a"
                            + " bound claim still names it)"));
        }
        boolean told = known.volumes().isNewest(volume.stored());
        if (ref.isEmpty() && (!told || known.assumptions().isPromised(volume.stored(), claim))) {
            promisedAway = true;
            return Decision.nothing();
        }
        known.assumptions().assume(volume, claim);
        return bind(volume);
    }

    private Decision forMissing() {
        Optional<StorageClass> storageClass =
                Lookup.storageClass(world, claim.className().orElse(""));
        if (claim.isBeingDeleted()) {
            return Decision.nothing();
        }
        if (storageClass.filter(StorageClass::createsMissingVolumes).isPresent()) {
            return provisionOurselves(storageClass.get());
        }
        return Decision.of(words.unboundStatus(
                claim,
                PENDING,
                Saying.normal(
                        "VolumeNotFound",
                        "waiting for PersistentVolume \"" + claim.volumeName()
                                + "\", which the claim names, to be created; there is none")));
    }

    private String mismatch(Volume volume, Misfit misfit) {
        String text = "Cannot bind to requested volume \"" + volume.name() + "\": " + misfit.text();
        return switch (misfit) {
            case BEING_DELETED -> text + " \"" + volume.name() + '"';
            case TOO_SMALL ->
                text + " (" + volume.capacity().map(Object::toString).orElse("no size") + " < " + claim.request() + ')';
            case OTHER_CLASS ->
                text + " (\"" + volume.className() + "\" ≠ \""
                        + claim.className().orElse("") + "\")";
            case OTHER_MODE -> text + " (" + volume.mode() + " ≠ " + claim.mode() + ')';
            case OTHER_ACCESS -> text + " (it has " + volume.accessModes() + ", asked for " + claim.accessModes() + ')';
            default -> text;
        };
    }

    /** The holder is named. If the claim was once bound by us, somebody has tampered with it, and nothing else is written. */
    private Decision taken(Volume volume, ClaimRef holder) {
        Saying saying = Saying.warning(
                "FailedBinding",
                "volume \"" + volume.name() + "\" already bound to a different claim. (It is "
                        + (volume.phase().isEmpty() ? PENDING : volume.phase()) + ", of " + holder + ')');
        return claim.isBoundByController() ? Decision.of(words.event(claim, saying)) : sayMismatch(saying);
    }

    /** In the manner of Minik8s a claim whose volume does not fit has failed; in that of Kubernetes it waits. */
    private Decision sayMismatch(Saying saying) {
        boolean minik8s = Lookup.storageClass(world, claim.className().orElse(""))
                .filter(StorageClass::createsMissingVolumes)
                .isPresent();
        return Decision.of(words.unbound(claim, minik8s ? "Failed" : PENDING, saying));
    }

    private Decision say(Saying saying) {
        if (known.isNew(claim)) {
            return Decision.nothing().lookAgainAfter(Binder.NEWCOMER);
        }
        return Decision.of(words.unbound(claim, PENDING, saying));
    }

    private String survey() {
        return Survey.of(claim, known);
    }

    /** It was bound. Either it still is, or its volume is lost. */
    private Decision onceBound() {
        if (claim.volumeName().isEmpty()) {
            return lost("ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
        }
        Optional<Volume> found = Lookup.volume(world, claim.volumeName());
        if (found.isEmpty()) {
            return lost("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
        }
        Volume volume = found.get();
        Optional<ClaimRef> ref = volume.claimRef();
        if (ref.isPresent() && !ref.get().uid().equals(claim.uid())) {
            return lost(
                    "ClaimMisbound",
                    "Two claims are bound to the same volume, this one is bound incorrectly (the volume is of "
                            + ref.get() + ')');
        }
        String remembered = claim.status().path(Bind.VOLUME_UID).asText("");
        if (!remembered.isEmpty() && !remembered.equals(volume.uid())) {
            return lost(
                    "ClaimLost",
                    "Bound claim has lost its PersistentVolume. Data on the volume is lost! (There is a volume \""
                            + volume.name() + "\" again, but it is another one: " + volume.uid() + ", not " + remembered
                            + "; next: create another claim for it)");
        }
        return bind(volume);
    }

    private Decision lost(String reason, String message) {
        return Decision.of(words.unbound(claim, "Lost", Saying.warning(reason, message)));
    }
}
