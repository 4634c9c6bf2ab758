package dev.mooring.node.monitor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.world.Proposal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Proposals for mount health changes, each with the updated ActualVolume. Pure; any thread. */
final class MountHealthUpdates {
    private static final String HEALTH = "health";
    private static final String STATE = "state";
    private static final String SINCE = "since";

    private final String actor;

    MountHealthUpdates(String actor) {
        this.actor = actor;
    }

    /** Whether a mount is in use. */
    enum MountUse {
        MAY_BE_USED,
        UNUSED
    }

    /** Reports a problem; empty if it is known, or the mount is gone. */
    Optional<Proposal> unhealthy(ActualVolume seen, String podUid, MountProblem finding, MountUse use, Instant now) {
        ObjectNode object = seen.copy();
        Optional<ObjectNode> mount = mount(object, podUid);
        if (mount.isEmpty()) {
            return Optional.empty();
        }
        boolean again = finding.remedy() == MountProblem.Remedy.REMOUNT
                || (finding.remedy() == MountProblem.Remedy.REMOUNT_IF_UNUSED && use == MountUse.UNUSED);
        boolean known = mount.get().path(HEALTH).path("reason").asText("").equals(finding.reason());
        if (known && !again) {
            return Optional.empty();
        }
        if (!known) {
            mount.get()
                    .putObject(HEALTH)
                    .put("reason", finding.reason())
                    .put("message", finding.message())
                    .put(SINCE, time(now));
        }
        if (again) {
            // The reconciler then checks the mount, and mounts it again if it is missing.
            mount.get().put(STATE, ActualVolume.UNCERTAIN).put(SINCE, time(now));
            object.withObject("/status").put(STATE, ActualVolume.UNCERTAIN).put(SINCE, time(now));
        }
        return Optional.of(replace(seen, object, "VolumeUnhealthy"));
    }

    /** Clears the problem; empty if there is none. */
    Optional<Proposal> healthy(ActualVolume seen, String podUid) {
        ObjectNode object = seen.copy();
        return mount(object, podUid)
                .filter(mount -> mount.remove(HEALTH) != null)
                .map(mount -> replace(seen, object, "VolumeHealthy"));
    }

    /** Skips the remaining back-off; empty if nothing is backing off. */
    Optional<Proposal> retryNow(ActualVolume seen) {
        ObjectNode object = seen.copy();
        ObjectNode status = object.withObject("/status");
        boolean waited = clearRetry(status);
        for (JsonNode each : status.path("mounts")) {
            waited |= clearRetry((ObjectNode) each);
        }
        return waited ? Optional.of(replace(seen, object, "VolumeRetryAdvanced")) : Optional.empty();
    }

    private static boolean clearRetry(ObjectNode place) {
        if (place.remove("nextTry") == null) {
            return false;
        }
        place.remove("attempts");
        return true;
    }

    /** Returns the mount if it is mounted and no operation is in progress. */
    private static Optional<ObjectNode> mount(ObjectNode object, String podUid) {
        JsonNode status = object.path("status");
        if (!status.path("operation").asText("").isEmpty()) {
            return Optional.empty();
        }
        for (JsonNode each : status.path("mounts")) {
            if (each.path("pod").path("uid").asText("").equals(podUid)) {
                return each.path(STATE).asText("").equals(ActualVolume.MOUNTED)
                                && each.path("operation").asText("").isEmpty()
                        ? Optional.of((ObjectNode) each)
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private Proposal replace(ActualVolume seen, ObjectNode object, String type) {
        return Proposal.by(actor, type)
                .because(seen.cause())
                .replace(seen.stored(), Draft.of(seen.key(), object))
                .build();
    }

    private static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
