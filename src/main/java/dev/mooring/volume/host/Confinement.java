package dev.mooring.volume.host;

import dev.mooring.model.host.HostPathGrant;
import dev.mooring.volume.Access;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.SetUpDone.Remark;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.host.Sight.Answers;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Reach;
import dev.mooring.volume.path.Reference;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Paths of Pods that may only have what lies below some prefixes. Whoever writes there may exchange directories and links at any moment, also
 * after a look; so the place found by looking is opened anew through no link at all, which makes its words say where it is, and what was
 * opened is what the Pod gets, bound to a place of Mooring's own that nobody else can bend. Any thread, but never two for one target.
 */
final class Confinement {
    private final PluginParts parts;
    private final HostFiles files;
    private final Mounter mounter;

    Confinement(PluginParts parts, HostFiles files) {
        this.parts = parts;
        this.files = files;
        this.mounter = parts.mounter();
    }

    /** Prefixes are the administrator's own: links in them are followed. */
    void mustBeWithin(Path asked, Sight sight, HostPathGrant grant) throws VolumeException, InterruptedException {
        for (Path prefix : grant.prefixes()) {
            if (asked.startsWith(prefix) && isWithin(sight.real(), prefix)) {
                mustAnswer(asked, sight);
                return;
            }
        }
        String where = sight.real().equals(asked) ? "" : " leads to " + sight.real() + ", which";
        throw VolumeException.clean(
                "Refused",
                asked + where + " is outside of what this Pod was granted: "
                        + grant.prefixes().stream().map(Path::toString).collect(Collectors.joining(", "))
                        + " (setting policy.hostPath)");
    }

    private boolean isWithin(Path real, Path prefix) throws VolumeException, InterruptedException {
        Sight there = files.look(prefix);
        // One that is still to be made is where it says.
        return real.startsWith(there.real()) && there.kind() != FileKind.BROKEN;
    }

    private static void mustAnswer(Path asked, Sight sight) throws VolumeException {
        if (sight.answers() == Answers.PERHAPS_NEVER) {
            throw VolumeException.clean(
                    "Refused",
                    asked + " depends on another machine or program, where it cannot be held fast: use a volume of"
                            + " that kind (such as nfs) instead of a hostPath");
        }
    }

    SetUpDone bind(SetUp what, Path asked, Sight sight, List<Remark> remarks) throws VolumeException {
        Path real = sight.real();
        try (Reference found = open(real)) {
            if (found.status().type() == FileStatus.Type.LINK) {
                throw changed(asked, real + " has become a link");
            }
            mounter.bind(found, what.target(), what.access());
        } catch (PathException e) {
            throw changed(asked, e.getMessage());
        }
        String access = what.access() == Access.READ_ONLY ? "ro" : "rw";
        return new SetUpDone(what.target(), real.toString(), List.of(access), remarks);
    }

    /** Of whatever kind, through no link. */
    private Reference open(Path real) throws PathException {
        Path above = real.getParent();
        if (above == null) {
            return Reference.open(parts.calls(), real);
        }
        try (Reference parent = Reference.open(parts.calls(), above)) {
            return parent.child(real.getFileName().toString(), Reach.ANY_MOUNT);
        }
    }

    private static VolumeException changed(Path asked, String how) {
        return VolumeException.clean(
                "Changed", asked + " was changed while it was being opened (" + how + "); it is tried again");
    }

    void release(Path target, Progress progress) throws VolumeException, InterruptedException {
        if (mounter.isMountPoint(target)) {
            mounter.unmount(target, UnmountLimits.LOCAL, progress);
        }
        mounter.removeDirectory(target);
    }
}
