package dev.mooring.node.health;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.world.Proposal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** The events about the health of mounts, each with the ActualVolume as it then is. Pure; any thread. */
final class HealthEdits {
    private static final String HEALTH = "health";
    private static final String STATE = "state";
    private static final String SINCE = "since";

    private final String actor;

    HealthEdits(String actor) {
        this.actor = actor;
    }

    /** Whether anything uses a mount. */
    enum Use {
        MAY_BE_USED,
        UNUSED
    }

    /** Nothing if that is known, or the mount is not there any more. */
    Optional<Proposal> unhealthy(ActualVolume seen, String podUid, Finding finding, Use use, Instant now) {
        ObjectNode object = seen.copy();
        Optional<ObjectNode> mount = mount(object, podUid);
        if (mount.isEmpty()) {
            return Optional.empty();
        }
        boolean again = finding.remedy() == Finding.Remedy.MOUNT_AGAIN
                || (finding.remedy() == Finding.Remedy.MOUNT_AGAIN_IF_UNUSED && use == Use.UNUSED);
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
            // Whoever looks at it next finds out what is there, and mounts what is not.
            mount.get().put(STATE, ActualVolume.UNCERTAIN).put(SINCE, time(now));
            object.withObject("/status").put(STATE, ActualVolume.UNCERTAIN).put(SINCE, time(now));
        }
        return Optional.of(replace(seen, object, "VolumeUnhealthy"));
    }

    /** Nothing if nobody has said otherwise. */
    Optional<Proposal> healthy(ActualVolume seen, String podUid) {
        ObjectNode object = seen.copy();
        return mount(object, podUid)
                .filter(mount -> mount.remove(HEALTH) != null)
                .map(mount -> replace(seen, object, "VolumeHealthy"));
    }

    /** What waits for its next try need not wait. Nothing if nothing does. */
    Optional<Proposal> advanced(ActualVolume seen) {
        ObjectNode object = seen.copy();
        ObjectNode status = object.withObject("/status");
        boolean waited = forget(status);
        for (JsonNode each : status.path("mounts")) {
            waited |= forget((ObjectNode) each);
        }
        return waited ? Optional.of(replace(seen, object, "VolumeRetryAdvanced")) : Optional.empty();
    }

    private static boolean forget(ObjectNode place) {
        if (place.remove("nextTry") == null) {
            return false;
        }
        place.remove("attempts");
        return true;
    }

    /** Only while it is mounted and nothing is being done about it. */
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
