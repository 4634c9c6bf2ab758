package dev.mooring.node.monitor;

import dev.mooring.control.EventProposals;
import dev.mooring.model.Cause;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.KubeEvent.InvolvedObject;
import dev.mooring.model.StoredObject;
import dev.mooring.node.WorldPort;
import dev.mooring.node.monitor.UsageCache.LevelCrossing;
import dev.mooring.node.monitor.VolumeUsage.Fullness;
import dev.mooring.volume.work.MeasuredSpace.FileSystemSharing;
import dev.mooring.world.World;
import java.time.Clock;
import java.util.Optional;

/** Records Events on a claim whose volume is getting full. Does not retry Events that cannot be written. Any thread. */
final class UsageEventRecorder {
    private final String actor;
    private final WorldPort port;
    private final Clock clock;

    UsageEventRecorder(String node, WorldPort port, Clock clock) {
        this.actor = "node/" + node;
        this.port = port;
        this.clock = clock;
    }

    void record(LevelCrossing crossing) {
        World world = port.world();
        Optional<StoredObject> claim = world.get(crossing.usage().target().claim());
        if (claim.isEmpty()) {
            return;
        }
        String reason = crossing.usage().level() == UsageLevel.CRITICAL
                ? EventReasons.VOLUME_USAGE_CRITICAL
                : EventReasons.VOLUME_USAGE_HIGH;
        EventProposals.recordEvent(
                        world,
                        KubeEvent.warning(InvolvedObject.of(claim.get()), reason, message(crossing), actor),
                        Cause.none(),
                        clock.instant())
                .ifPresent(port::propose);
    }

    private String message(LevelCrossing crossing) {
        Fullness full = crossing.fullness();
        String volume = crossing.usage().target().volume();
        int percent = (int) full.percent();
        if (full.belonging() == FileSystemSharing.OWN) {
            return "Volume \"" + volume + "\" is " + percent + "% full: " + ByteText.of(full.used()) + " used, "
                    + ByteText.of(full.of() - full.used())
                    + " left. When it is full, writes fail: delete files or request more with"
                    + " spec.resources.requests.storage of the claim";
        }
        String left = crossing.usage()
                .space()
                .valueAt(clock.instant())
                .map(each -> ByteText.of(each.stats().available()))
                .orElse("an unknown amount");
        return "The files of volume \"" + volume + "\" take up " + ByteText.of(full.used()) + ", which is " + percent
                + "% of the " + ByteText.of(full.of())
                + " of its claim. This size is not enforced: the volume is a directory of a shared file system, which"
                + " has " + left + " left";
    }
}
