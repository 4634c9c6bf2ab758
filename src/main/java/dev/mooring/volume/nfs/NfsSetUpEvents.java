package dev.mooring.volume.nfs;

import dev.mooring.host.MountTable.Mount;
import dev.mooring.model.EventReasons;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.SetUpResult.SetUpEvent;
import java.util.ArrayList;
import java.util.List;

/** Warning Events about NFS volumes that were mounted successfully. Stateless. */
final class NfsSetUpEvents {
    private NfsSetUpEvents() {}

    static SetUpResult setUpResult(SetUpRequest request, NfsVolume requested, Mount mounted) {
        List<SetUpEvent> events = new ArrayList<>();
        request.fsGroup()
                .ifPresent(wanted -> events.add(fsGroup(request.volume().name(), wanted.gid())));
        if (!requested.isSource(mounted.source())) {
            events.add(new SetUpEvent(
                    EventReasons.SOURCE_DIFFERS,
                    "volume \"" + request.volume().name() + "\" requests " + requested + ", which the server maps to "
                            + mounted.source() + ": set nfs.path to that"));
        }
        List<String> differences = MountVerifier.differences(requested, mounted.options());
        if (!differences.isEmpty()) {
            events.add(new SetUpEvent(
                    EventReasons.MOUNT_OPTIONS_DIFFER,
                    "volume \"" + request.volume().name() + "\" is mounted without some of its mount options: "
                            + String.join(", ", differences)
                            + "; mounts of one server share most options, those of the first mount: add nosharecache,"
                            + " or use the same options everywhere"));
        }
        return new SetUpResult(request.target(), mounted.source(), mounted.options(), events);
    }

    private static SetUpEvent fsGroup(String volume, long gid) {
        return new SetUpEvent(
                EventReasons.FS_GROUP_IGNORED,
                "fsGroup " + gid + " has no effect on volume \"" + volume
                        + "\": the NFS server determines the owners of its files and does not let clients change them"
                        + " (root_squash). Add the group that owns the directory on the server to the Pod"
                        + " with securityContext.supplementalGroups, or annotate the PersistentVolume with"
                        + " pv.beta.kubernetes.io/gid");
    }
}
