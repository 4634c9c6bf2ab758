package dev.mooring.volume.nfs;

import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.SetUpDone.Remark;
import dev.mooring.volume.path.MountTable.Mount;
import java.util.ArrayList;
import java.util.List;

/** What people should know about an NFS volume although it is mounted. Stateless. */
final class NfsRemarks {
    private NfsRemarks() {}

    static SetUpDone done(SetUp what, NfsVolume asked, Mount mounted) {
        List<Remark> remarks = new ArrayList<>();
        what.ownership().ifPresent(wanted -> remarks.add(fsGroup(what.volume().name(), wanted.gid())));
        if (!asked.isSource(mounted.source())) {
            remarks.add(new Remark(
                    "SourceDiffers",
                    "volume \"" + what.volume().name() + "\" asks for " + asked + ", which the server leads to "
                            + mounted.source() + ": name that in nfs.path"));
        }
        List<String> differences = InForce.differences(asked, mounted.options());
        if (!differences.isEmpty()) {
            remarks.add(new Remark(
                    "MountOptionsDiffer",
                    "volume \"" + what.volume().name() + "\" is mounted without some of its mount options: "
                            + String.join(", ", differences)
                            + "; mounts of one server share most options, the first decides: add nosharecache to have"
                            + " its own, or use the same options everywhere"));
        }
        return new SetUpDone(what.target(), mounted.source(), mounted.options(), remarks);
    }

    private static Remark fsGroup(String volume, long gid) {
        return new Remark(
                "FsGroupIgnored",
                "fsGroup " + gid + " has no effect on volume \"" + volume
                        + "\": the files of an NFS server belong to whom the server says, and it does not take root's"
                        + " word for it (root_squash). Give the group that owns the directory on the server to the Pod"
                        + " with securityContext.supplementalGroups, or annotate the PersistentVolume with"
                        + " pv.beta.kubernetes.io/gid");
    }
}
