package dev.mooring.volume.subpath;

import java.util.Optional;

/** Validates a {@code subPath}. */
public final class SubPathValidation {
    private SubPathValidation() {}

    /** Returns why the subPath is invalid, in the kubelet's wording; empty if it is valid. */
    public static Optional<String> problem(String subPath) {
        if (subPath.startsWith("/")) {
            return Optional.of("error SubPath `" + subPath + "` must not be an absolute path");
        }
        if (subPath.indexOf('\0') >= 0) {
            return Optional.of(
                    "unable to provision SubPath `" + subPath.replace("\0", "\\0") + "`: must not contain a zero byte");
        }
        for (String name : subPath.split("/", -1)) {
            if (name.equals("..")) {
                return Optional.of("unable to provision SubPath `" + subPath + "`: must not contain '..'");
            }
        }
        return Optional.empty();
    }
}
