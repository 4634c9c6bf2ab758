package dev.mooring.volume.subpath;

import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.Descriptor;
import java.nio.file.Path;

/** Makes what was opened appear at a path, in this process or in a child. */
interface Binder {
    void bind(Descriptor source, Path target, Access access) throws VolumeException;
}
