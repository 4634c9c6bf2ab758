package dev.mooring.control.ephemeral;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Notices;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The ephemeral volume controller: makes the claims {@code <pod>-<volume>} that Pods carry as templates. They belong to the Pod, so the garbage
 * collector deletes them when it is gone. A claim that has the name but not this owner is somebody's data: it is left alone, and the Pod
 * is told.
 *
 * <p>Unlike in Kubernetes a Pod that has finished gets no claim: who deletes the claim of such a Pod wants the storage back.
 *
 * <p>Keyed by Pods. Has no index: which Pods a claim may be for follows from its name.
 */
public final class EphemeralClaims implements Controller {
    private static final String NAME = "ephemeral-volume-controller";
    private static final String PODS = "pods";

    /** As the field is stored; "ephemeralContainers" is another one. */
    private static final String FIELD = "\"ephemeral\"";

    private static final int MAX_NAME = 253;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(PODS), Scope.resource(StorageNames.CLAIMS));
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        if (change.key().resource().equals(PODS)) {
            if (!change.isRemoval() && StoredJson.mentions(change.object(), FIELD)) {
                wakes.now(change.key());
            }
        } else if (change.isRemoval()) {
            wakeNamesakes(change.key(), world, wakes);
        }
    }

    /** The claim a-b-c can be that of the Pod a and of the Pod a-b. */
    private static void wakeNamesakes(ObjectKey claim, World world, Wakes wakes) {
        String name = claim.name();
        String namespace = claim.namespace().orElseThrow();
        for (int dash = name.indexOf('-'); dash >= 0; dash = name.indexOf('-', dash + 1)) {
            if (dash > 0) {
                ObjectKey pod = Pod.key(namespace, name.substring(0, dash));
                if (world.get(pod)
                        .filter(each -> StoredJson.mentions(each, FIELD))
                        .isPresent()) {
                    wakes.now(pod);
                }
            }
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Pod> pod = world.get(key)
                .filter(each -> StoredJson.mentions(each, FIELD))
                .map(Pod::of)
                .filter(each -> !each.isBeingDeleted() && !each.isFinished());
        Optional<StoredObject> namespace = key.namespace()
                .flatMap(name -> world.get(ObjectKey.clusterWide("namespaces", name)))
                .filter(each -> !StoredJson.isBeingDeleted(each));
        if (pod.isEmpty() || namespace.isEmpty()) {
            return Decision.nothing();
        }
        List<Proposal> proposals = new ArrayList<>();
        for (JsonNode volume : pod.get().spec().path("volumes")) {
            if (volume.hasNonNull("ephemeral")) {
                look(world, pod.get(), volume, now)
                        .map(proposal -> proposal.expecting(namespace.get()))
                        .ifPresent(proposals::add);
            }
        }
        return Decision.of(proposals);
    }

    private static Optional<Proposal> look(World world, Pod pod, JsonNode volume, Instant now) {
        String volumeName = volume.path("name").asText("");
        String name = pod.ephemeralClaim(volumeName);
        if (name.length() > MAX_NAME) {
            String why = "create PVC " + name + ": PersistentVolumeClaim \"" + name
                    + "\" is invalid: metadata.name: Invalid value: \"" + name + "\": must be no more than " + MAX_NAME
                    + " characters";
            return warn(world, pod, volumeName, why, now);
        }
        ObjectKey key = Claim.key(pod.namespace(), name);
        Optional<Claim> existing = world.get(key).map(Claim::of);
        if (existing.isEmpty()) {
            JsonNode template = volume.path("ephemeral").path("volumeClaimTemplate");
            return Optional.of(Proposal.by(NAME, "EphemeralClaimCreated")
                    .because(pod.cause())
                    .create(Draft.of(key, NewClaim.of(world, pod, name, template, now)))
                    .expect(pod.stored())
                    .build());
        }
        if (isOwned(existing.get(), pod)) {
            return Optional.empty();
        }
        String why = "PVC " + pod.namespace() + '/' + name + " was not created for pod " + pod.namespace() + '/'
                + pod.name() + " (pod is not owner)";
        return warn(world, pod, volumeName, why, now);
    }

    private static boolean isOwned(Claim claim, Pod pod) {
        for (JsonNode owner : claim.metadata().path("ownerReferences")) {
            if (owner.path("controller").asBoolean(false)
                    && owner.path("uid").asText("").equals(pod.uid())) {
                return true;
            }
        }
        return false;
    }

    private static Optional<Proposal> warn(World world, Pod pod, String volume, String why, Instant now) {
        Notice notice = Notice.warning(
                Notice.Involved.of(pod.tree()), "FailedBinding", "ephemeral volume " + volume + ": " + why, NAME);
        return Notices.tellOnce(world, notice, pod.cause(), now);
    }
}
