package dev.mooring.node.container;

import dev.mooring.runtime.ContainerRuntime;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parsed image name, with Docker's rules. Immutable.
 *
 * @param registry its host and port; docker.io if the name has none
 * @param repository within the registry
 * @param reference the name as written, with a tag or a digest
 * @param latest whether its tag is latest, explicitly or by default
 */
record ImageName(String registry, String repository, String reference, boolean latest) {
    private static final String DEFAULT_REGISTRY = "docker.io";
    private static final String LATEST = "latest";
    private static final int MAX_REPOSITORY = 255;
    /** Longer than any valid name; longer names are rejected unparsed. */
    private static final int MAX_LENGTH = 2048;

    private static final Pattern ID = Pattern.compile("[a-f0-9]{64}");
    private static final String PART = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
    private static final String LABEL = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
    private static final Pattern REGISTRY =
            Pattern.compile("(?:" + LABEL + "(?:\\." + LABEL + ")*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?");
    private static final Pattern REST = Pattern.compile("(" + PART + "(?:/" + PART + ")*)(?::([\\w][\\w.-]{0,127}))?"
            + "(@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?");

    /** The name is invalid. The message is Kubernetes'. */
    static final class InvalidException extends Exception {
        private static final long serialVersionUID = 1;

        InvalidException(String image, String why) {
            super("Failed to apply default image tag \"" + image + "\": couldn't parse image name \"" + image + "\": "
                    + why);
        }
    }

    static ImageName parse(String image) throws InvalidException {
        if (ID.matcher(image).matches()) {
            throw new InvalidException(
                    image, "invalid repository name (" + image + "), cannot specify 64-byte hexadecimal strings");
        }
        if (image.length() > MAX_LENGTH) {
            throw new InvalidException(image.substring(0, MAX_REPOSITORY) + "…", "invalid reference format");
        }
        int slash = image.indexOf('/');
        String first = slash < 0 ? "" : image.substring(0, slash);
        boolean named = slash >= 0
                && (first.indexOf('.') >= 0
                        || first.indexOf(':') >= 0
                        || first.equals("localhost")
                        || !first.toLowerCase(Locale.ROOT).equals(first));
        String rest = named ? image.substring(slash + 1) : image;
        String registry = !named || first.equals("index.docker.io") ? DEFAULT_REGISTRY : first;
        boolean official = registry.equals(DEFAULT_REGISTRY) && rest.indexOf('/') < 0;
        String remote = (official ? "library/" : "") + withoutTag(rest);
        if (!remote.toLowerCase(Locale.ROOT).equals(remote)) {
            throw new InvalidException(
                    image, "invalid reference format: repository name (" + remote + ") must be lowercase");
        }
        Matcher parts = REST.matcher(rest);
        if (!parts.matches() || (named && !REGISTRY.matcher(first).matches())) {
            throw new InvalidException(image, "invalid reference format");
        }
        if (parts.group(1).length() > MAX_REPOSITORY) {
            throw new InvalidException(image, "repository name must not be more than 255 characters");
        }
        boolean bare = parts.group(2) == null && parts.group(3) == null;
        return new ImageName(
                registry,
                (official ? "library/" : "") + parts.group(1),
                bare ? image + ':' + LATEST : image,
                bare || (LATEST.equals(parts.group(2)) && parts.group(3) == null));
    }

    /** Returns whether a pull of this name could replace an image that Mooring builds itself. */
    boolean isReserved() {
        return (registry + '/' + repository).equalsIgnoreCase(ContainerRuntime.PAUSE_REPOSITORY);
    }

    boolean isOfDefaultRegistry() {
        return registry.equals(DEFAULT_REGISTRY);
    }

    private static String withoutTag(String rest) {
        int colon = rest.indexOf(':');
        return colon < 0 ? rest : rest.substring(0, colon);
    }
}
