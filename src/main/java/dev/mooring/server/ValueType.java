package dev.mooring.server;

import dev.mooring.api.policy.PodGrants;
import dev.mooring.model.Quantity;
import dev.mooring.model.ServiceRange;
import dev.mooring.model.TimeSpan;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Parser of a setting's value.
 *
 * @param allowed valid values, as the end of the sentence "log.segmentBytes must be …"
 * @param reader throws {@link IllegalArgumentException} for invalid values
 */
record ValueType<T>(String allowed, Function<String, T> reader) {
    /** Kubernetes' rule for node names (RFC 1123 subdomain). */
    private static final Pattern NODE_NAME =
            Pattern.compile("(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._:-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+]");

    /** Kubernetes' rule for namespace names (RFC 1123 label). */
    private static final Pattern NAMESPACE = Pattern.compile("(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?");

    private static final Pattern IMAGE = Pattern.compile("[a-zA-Z0-9]([a-zA-Z0-9._/:@-]*[a-zA-Z0-9])?");

    private static final String NONE = "none";

    T read(String text) {
        return reader.apply(text);
    }

    static ValueType<Path> path() {
        return new ValueType<>("a path", text -> {
            check(!text.isBlank());
            try {
                return Path.of(text.trim());
            } catch (InvalidPathException e) {
                throw new IllegalArgumentException(e);
            }
        });
    }

    static ValueType<String> nodeName() {
        return new ValueType<>("a name of lower case letters, digits, '-' and '.', at most 253 long", text -> {
            check(NODE_NAME.matcher(text).matches());
            return text;
        });
    }

    static ValueType<ListenAddress> address() {
        return new ValueType<>(
                "HOST:PORT (such as 127.0.0.1:7443, [::1]:7443; port 0 is any free port)", ListenAddress::parse);
    }

    /** A loopback address. */
    static ValueType<ListenAddress> loopbackAddress() {
        return new ValueType<>("HOST:PORT with a loopback host (127.0.0.1, ::1 or localhost)", text -> {
            ListenAddress address = ListenAddress.parse(text);
            check(address.isLoopback());
            return address;
        });
    }

    static <E extends Enum<E>> ValueType<Set<E>> someOf(Class<E> values) {
        ValueType<E> one = oneOf(values);
        return new ValueType<>(
                "some of " + one.allowed.replace("one of ", "") + ", separated by commas",
                text -> Arrays.stream(text.split(",", -1)).map(one::read).collect(Collectors.toUnmodifiableSet()));
    }

    static ValueType<Long> size(String least, String most) {
        return new ValueType<>(
                "a size from " + least + " to " + most + " (such as 64Mi, 64MiB or a number of bytes)",
                text -> within(ByteSize.parse(text), ByteSize.parse(least), ByteSize.parse(most)));
    }

    static ValueType<Duration> duration(String least, String most) {
        return new ValueType<>(
                "a duration from " + least + " to " + most + " (such as 90s, 30m, 1h or 7d)",
                text -> within(TimeSpan.parse(text), TimeSpan.parse(least), TimeSpan.parse(most)));
    }

    static ValueType<Integer> count(int least, int most) {
        return new ValueType<>(
                "a whole number from " + least + " to " + most,
                text -> within(Integer.valueOf(text.trim()), least, most));
    }

    static <E extends Enum<E>> ValueType<E> oneOf(Class<E> values) {
        String names = Arrays.stream(values.getEnumConstants())
                .map(value -> value.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
        String allowed = values.getEnumConstants().length == 1 ? names : "one of " + names;
        return new ValueType<>(allowed, text -> Enum.valueOf(values, text.trim().toUpperCase(Locale.ROOT)));
    }

    static <T> ValueType<Optional<T>> orNone(ValueType<T> type) {
        return new ValueType<>(
                type.allowed + ", or none",
                text -> text.trim().equalsIgnoreCase(NONE) ? Optional.empty() : Optional.of(type.read(text)));
    }

    static ValueType<Boolean> yesOrNo() {
        return new ValueType<>("true or false", text -> {
            String word = text.trim().toLowerCase(Locale.ROOT);
            check(word.equals("true") || word.equals("false"));
            return word.equals("true");
        });
    }

    /** Absolute paths, which do not depend on the working directory. */
    static ValueType<List<Path>> absolutePaths() {
        return new ValueType<>(
                "absolute paths, separated by commas",
                text -> Arrays.stream(text.split(",", -1))
                        .map(ValueType::absolutePath)
                        .toList());
    }

    static ValueType<Path> anAbsolutePath() {
        return new ValueType<>("an absolute path", ValueType::absolutePath);
    }

    private static Path absolutePath(String text) {
        Path path = path().read(text);
        check(path.isAbsolute() && path.equals(path.normalize()));
        return path;
    }

    /** A host, in the form of an NFS source. */
    static ValueType<String> host() {
        return new ValueType<>("the name or address of a host", text -> {
            check(HOST.matcher(text.trim()).matches());
            return text.trim();
        });
    }

    /** Address of a container engine. */
    static ValueType<String> engine() {
        return new ValueType<>("unix:///PATH or tcp://HOST:PORT", text -> {
            String host = text.trim();
            if (host.startsWith("unix://")) {
                absolutePath(host.substring("unix://".length()));
            } else {
                check(host.startsWith("tcp://"));
                check(ListenAddress.parse(host.substring("tcp://".length())).port() > 0);
            }
            return host;
        });
    }

    static ValueType<String> image() {
        return new ValueType<>("the name of an image (such as registry.k8s.io/pause:3.10)", text -> {
            check(IMAGE.matcher(text.trim()).matches());
            return text.trim();
        });
    }

    static ValueType<Set<String>> namespaces() {
        return new ValueType<>(
                "names of namespaces, separated by commas, or * for all",
                text -> Arrays.stream(text.split(",", -1))
                        .map(ValueType::namespace)
                        .collect(Collectors.toUnmodifiableSet()));
    }

    private static String namespace(String text) {
        String name = text.trim();
        check(name.equals(PodGrants.EVERYWHERE) || NAMESPACE.matcher(name).matches());
        return name;
    }

    static ValueType<List<PodGrants.HostPathPrefix>> hostPaths() {
        return new ValueType<>(
                "NAMESPACE=PATH with an absolute path, or *=PATH for all namespaces, separated by commas",
                text -> Arrays.stream(text.split(",", -1))
                        .map(ValueType::hostPath)
                        .toList());
    }

    private static PodGrants.HostPathPrefix hostPath(String text) {
        Map.Entry<String, String> parts = ofNamespace(text);
        return new PodGrants.HostPathPrefix(parts.getKey(), absolutePath(parts.getValue()));
    }

    static ValueType<List<PodGrants.GrantedShare>> shares() {
        return new ValueType<>(
                "NAMESPACE=SERVER:/PATH, or NAMESPACE=* for all shares, *=… for all namespaces, separated by commas",
                text -> Arrays.stream(text.split(",", -1)).map(ValueType::share).toList());
    }

    private static PodGrants.GrantedShare share(String text) {
        Map.Entry<String, String> parts = ofNamespace(text);
        String share = parts.getValue();
        if (share.equals(PodGrants.EVERYWHERE)) {
            return new PodGrants.GrantedShare(parts.getKey(), PodGrants.EVERYWHERE, "");
        }
        int colon = share.indexOf(":/");
        check(colon > 0);
        return new PodGrants.GrantedShare(
                parts.getKey(),
                host().read(share.substring(0, colon)),
                PodGrants.GrantedShare.withoutSlash(share.substring(colon + 1)));
    }

    /** Quantities by namespace, in Kubernetes' format. */
    static ValueType<Map<String, String>> quantities() {
        return new ValueType<>(
                "NAMESPACE=SIZE (such as 512Mi), or *=SIZE for all others, separated by commas", text -> {
                    Map<String, String> amounts = new HashMap<>();
                    for (String each : text.split(",", -1)) {
                        Map.Entry<String, String> parts = ofNamespace(each);
                        check(isPositive(parts.getValue()));
                        check(amounts.put(parts.getKey(), parts.getValue()) == null);
                    }
                    return Map.copyOf(amounts);
                });
    }

    private static boolean isPositive(String quantity) {
        try {
            return Quantity.parse(quantity).signum() > 0;
        } catch (Quantity.MalformedException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static Map.Entry<String, String> ofNamespace(String text) {
        int equals = text.indexOf('=');
        check(equals > 0);
        return Map.entry(
                namespace(text.substring(0, equals)), text.substring(equals + 1).trim());
    }

    static ValueType<ServiceRange> network() {
        return new ValueType<>("an IPv4 network with 12 to 26 bits, such as 10.96.0.0/16", ServiceRange::parse);
    }

    static ValueType<Set<Integer>> ports() {
        ValueType<Integer> port = count(1, 65_535);
        return new ValueType<>(
                "ports from 1 to 65535, separated by commas",
                text -> Arrays.stream(text.split(",", -1)).map(port::read).collect(Collectors.toUnmodifiableSet()));
    }

    static ValueType<List<DiscoverySettings>> discovery() {
        return new ValueType<>(
                "DIRECTORY=CLASS, or DIRECTORY=CLASS+mounts, +wipe, separated by commas",
                text -> Arrays.stream(text.split(",", -1))
                        .map(DiscoverySettings::parse)
                        .toList());
    }

    private static <C extends Comparable<C>> C within(C value, C least, C most) {
        check(value.compareTo(least) >= 0 && value.compareTo(most) <= 0);
        return value;
    }

    private static void check(boolean allowed) {
        if (!allowed) {
            throw new IllegalArgumentException();
        }
    }
}
