package dev.mooring.volume.work;

import java.util.Optional;

/** What the parameters of a class say about directories. They were checked when the class was created; what is wrong anyway is refused. */
final class Parameters {
    private static final int DEFAULT_PERMISSIONS = 0777;
    private static final int MAX_PERMISSIONS = 0777;

    private Parameters() {}

    static Making.OfDirectory making(VolumeWork work) throws VolumeWorkException {
        Optional<String> mode = work.parameter("mode").or(() -> work.parameter("mountPermissions"));
        int permissions = mode.isEmpty() ? DEFAULT_PERMISSIONS : number("mode", mode.get(), 8);
        if (permissions > MAX_PERMISSIONS) {
            throw invalid("mode", mode.orElseThrow());
        }
        return new Making.OfDirectory(permissions, id(work, "uid"), id(work, "gid"));
    }

    static DirectoryJob.Owner owner(VolumeWork work) throws VolumeWorkException {
        return new DirectoryJob.Owner(work.volume(), work.uid(), onDelete(work));
    }

    static OnDelete onDelete(VolumeWork work) throws VolumeWorkException {
        return OnDelete.of(work.parameter("onDelete").orElse("delete"));
    }

    /** -1 for: as it comes. */
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
                "Expected the parameter " + name + " to be a number that Linux can use, but found \""
                        + text.replace("\0", "\\0") + "\": correct the storage class");
    }
}
