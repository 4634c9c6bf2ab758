package dev.mooring.api.discovery;

import java.util.Locale;
import java.util.Optional;

/** The formats of {@code /api} and {@code /apis}: the aggregated document, or the older list of names. */
enum DiscoveryFormat {
    V2("v2"),
    V2BETA1("v2beta1"),
    /** The list of names; clients send one more request per group version. */
    PLAIN("");

    private static final String GROUP = "apidiscovery.k8s.io";
    private static final String LIST = "APIGroupDiscoveryList";

    private final String version;

    DiscoveryFormat(String version) {
        this.version = version;
    }

    String apiVersion() {
        return GROUP + "/" + version;
    }

    /** Returns the content type. Clients compare it with the requested one, so parameters and their order matter. */
    String contentType() {
        return this == PLAIN ? "application/json" : "application/json;g=" + GROUP + ";v=" + version + ";as=" + LIST;
    }

    /** Returns the first known format in the header; the plain one if there is none. */
    static DiscoveryFormat fromAccept(String accept) {
        for (String range : accept.split(",", -1)) {
            Optional<DiscoveryFormat> form = of(range);
            if (form.isPresent()) {
                return form.get();
            }
        }
        return PLAIN;
    }

    private static Optional<DiscoveryFormat> of(String range) {
        String[] parts = range.split(";", -1);
        String type = parts[0].trim().toLowerCase(Locale.ROOT);
        if (!type.equals("application/json") && !type.equals("application/*") && !type.equals("*/*")) {
            return Optional.empty();
        }
        String group = "";
        String version = "";
        String as = "";
        for (int i = 1; i < parts.length; i++) {
            String[] parameter = parts[i].trim().split("=", 2);
            String value = parameter.length == 2 ? parameter[1].trim() : "";
            switch (parameter[0].trim().toLowerCase(Locale.ROOT)) {
                case "g" -> group = value;
                case "v" -> version = value;
                case "as" -> as = value;
                case "q" -> {
                    if (isZero(value)) {
                        return Optional.empty();
                    }
                }
                default -> {
                    // charset and other parameters are ignored
                }
            }
        }
        if (as.isEmpty()) {
            return Optional.of(PLAIN);
        }
        if (!as.equals(LIST) || !group.equals(GROUP)) {
            return Optional.empty();
        }
        return switch (version) {
            case "v2" -> Optional.of(V2);
            case "v2beta1" -> Optional.of(V2BETA1);
            default -> Optional.empty();
        };
    }

    /** Returns whether a quality is zero, which excludes the format. */
    private static boolean isZero(String quality) {
        return quality.equals("0") || quality.equals("0.0") || quality.equals("0.00") || quality.equals("0.000");
    }
}
