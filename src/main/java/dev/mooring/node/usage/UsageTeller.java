package dev.mooring.node.usage;

import dev.mooring.control.Notices;
import dev.mooring.model.Cause;
import dev.mooring.model.Notice;
import dev.mooring.model.Notice.Involved;
import dev.mooring.model.StoredObject;
import dev.mooring.node.WorldPort;
import dev.mooring.node.usage.Usage.Fullness;
import dev.mooring.node.usage.UsageBook.Crossing;
import dev.mooring.volume.usage.Measured.Belonging;
import dev.mooring.world.World;
import java.time.Clock;
import java.util.Optional;

/** Tells a claim, as an Event, that its volume is getting full. What cannot be told is not told again. Any thread. */
final class UsageTeller {
    private final String actor;
    private final WorldPort port;
    private final Clock clock;

    UsageTeller(String node, WorldPort port, Clock clock) {
        this.actor = "node/" + node;
        this.port = port;
        this.clock = clock;
    }

    void tell(Crossing crossing) {
        World world = port.world();
        Optional<StoredObject> claim = world.get(crossing.usage().subject().claim());
        if (claim.isEmpty()) {
            return;
        }
        String reason = crossing.usage().level() == Level.CRITICAL ? "VolumeUsageCritical" : "VolumeUsageHigh";
        Notices.tell(
                        world,
                        Notice.warning(Involved.of(claim.get()), reason, words(crossing), actor),
                        Cause.none(),
                        clock.instant())
                .ifPresent(port::propose);
    }

    private String words(Crossing crossing) {
        Fullness full = crossing.fullness();
        String volume = crossing.usage().subject().volume();
        int percent = (int) full.percent();
        if (full.belonging() == Belonging.OWN) {
            return "Volume \"" + volume + "\" is " + percent + "% full: " + ByteText.of(full.used()) + " used, "
                    + ByteText.of(full.of() - full.used())
                    + " left. When nothing is left, writing to it fails: delete files or ask for more with"
                    + " spec.resources.requests.storage of the claim";
        }
        String left = crossing.usage()
                .space()
                .at(clock.instant())
                .map(each -> ByteText.of(each.space().available()))
                .orElse("an unknown amount");
        return "The files of volume \"" + volume + "\" take up " + ByteText.of(full.used()) + ", which is " + percent
                + "% of the " + ByteText.of(full.of())
                + " of its claim. This size is not enforced: the volume is a directory of a file system that others use"
                + " too, and which has " + left + " left";
    }
}
