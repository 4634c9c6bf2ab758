package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Indexes;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The ephemeral volume controller: creates the claims {@code <pod>-<volume>} from the templates of Pods. The Pod owns
 * them, so the garbage collector deletes them with it. A claim of that name with another owner may hold data: the
 * controller leaves it alone and records an Event for the Pod.
 *
 * <p>Unlike in Kubernetes, a finished Pod gets no claim, because a user who deletes the claim of a finished Pod wants
 * the storage back.
 *
 * <p>Keyed by Pods.
 */
public final class EphemeralVolumeController implements Controller {
    private static final String NAME = "ephemeral-volume-controller";
    private static final String PODS = "pods";

    /** The field as stored, quoted to exclude "ephemeralContainers". */
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
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        if (change.key().resource().equals(PODS)) {
            if (!change.isRemoval() && change.object().containsText(FIELD)) {
                queue.enqueue(change.key());
            }
        } else if (change.isRemoval()) {
            world.index(Indexes.PODS_BY_CLAIM).keys(change.key()).forEach(queue::enqueue);
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Pod> pod = world.get(key)
                .filter(each -> each.containsText(FIELD))
                .map(Pod::of)
                .filter(each -> !each.isBeingDeleted() && !each.isFinished());
        Optional<StoredObject> namespace = key.namespace()
                .flatMap(name -> world.get(ObjectKey.clusterWide("namespaces", name)))
                .filter(each -> !StoredJson.isBeingDeleted(each));
        if (pod.isEmpty() || namespace.isEmpty()) {
            return Decision.none();
        }
        List<Proposal> proposals = new ArrayList<>();
        for (JsonNode volume : pod.get().spec().path("volumes")) {
            if (volume.hasNonNull("ephemeral")) {
                syncVolume(world, pod.get(), volume, now)
                        .map(proposal -> proposal.expecting(namespace.get()))
                        .ifPresent(proposals::add);
            }
        }
        return Decision.of(proposals);
    }

    private static Optional<Proposal> syncVolume(World world, Pod pod, JsonNode volume, Instant now) {
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
                    .create(Draft.of(key, ClaimTemplates.ephemeral(world, pod, name, template, now)))
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
        KubeEvent kubeEvent = KubeEvent.warning(
                KubeEvent.InvolvedObject.of(pod.tree()),
                EventReasons.FAILED_BINDING,
                "ephemeral volume " + volume + ": " + why,
                NAME);
        return EventProposals.recordEventOnce(world, kubeEvent, pod.cause(), now);
    }
}
