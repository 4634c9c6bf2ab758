package dev.mooring.volume.subpath;

import dev.mooring.host.Descriptor;
import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;

/** Bind-mounts an open file, in this process or in a child. */
interface BindMounter {
    void bind(Descriptor source, Path target, Access access) throws VolumeException;
}
