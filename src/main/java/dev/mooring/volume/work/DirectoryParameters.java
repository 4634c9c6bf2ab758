package dev.mooring.volume.work;

import java.util.Optional;

/**
 * Directory parameters of a StorageClass. They were validated when the class was created; invalid values are refused
 * here as well.
 */
final class DirectoryParameters {
    private static final int DEFAULT_PERMISSIONS = 0777;
    private static final int MAX_PERMISSIONS = 0777;

    private DirectoryParameters() {}

    static VolumeDataCreator.DirectoryCreator directoryCreator(VolumeWork work) throws VolumeWorkException {
        Optional<String> mode = work.parameter("mode").or(() -> work.parameter("mountPermissions"));
        int permissions = mode.isEmpty() ? DEFAULT_PERMISSIONS : number("mode", mode.get(), 8);
        if (permissions > MAX_PERMISSIONS) {
            throw invalid("mode", mode.orElseThrow());
        }
        return new VolumeDataCreator.DirectoryCreator(permissions, id(work, "uid"), id(work, "gid"));
    }

    static DirectoryJob.DirectoryOwner owner(VolumeWork work) throws VolumeWorkException {
        return new DirectoryJob.DirectoryOwner(work.volume(), work.uid(), onDelete(work), work.claim());
    }

    static OnDelete onDelete(VolumeWork work) throws VolumeWorkException {
        return OnDelete.of(work.parameter("onDelete").orElse("delete"));
    }

    /** Returns a uid or gid; -1 if it is not set. */
    private static int id(VolumeWork work, String name) throws VolumeWorkException {
        Optional<String> text = work.parameter(name);
        return text.isEmpty() ? -1 : number(name, text.get(), 10);
    }

    private static int number(String name, String text, int radix) throws VolumeWorkException {
        try {
            int number = Integer.parseInt(text, radix);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw invalid(name, text);
        }
        throw invalid(name, text);
    }

    private static VolumeWorkException invalid(String name, String text) {
        return new VolumeWorkException(
                VolumeWorkException.INVALID,
                "Parameter " + name + " must be a number that Linux accepts, got \"" + text.replace("\0", "\\0")
                        + "\": correct the storage class");
    }
}
