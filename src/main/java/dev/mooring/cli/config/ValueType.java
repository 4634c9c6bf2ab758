package dev.mooring.cli.config;

import dev.mooring.api.policy.PodGrants;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How a setting's text becomes a value.
 *
 * @param allowed what is allowed, as the end of the sentence "Expected log.segmentBytes to be …"
 * @param reader throws {@link IllegalArgumentException} for whatever is not allowed
 */
record ValueType<T>(String allowed, Function<String, T> reader) {
    /** Kubernetes' rule for names of nodes (RFC 1123 subdomain). */
    private static final Pattern NODE_NAME =
            Pattern.compile("(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._:-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+]");

    /** Kubernetes' rule for names of namespaces (RFC 1123 label). */
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
                "HOST:PORT (such as 127.0.0.1:7443, [::1]:7443; port 0 is any free one)", ListenAddress::parse);
    }

    /** What never leaves this machine. */
    static ValueType<ListenAddress> loopbackAddress() {
        return new ValueType<>(
                "HOST:PORT with a host that is this machine itself (127.0.0.1, ::1 or localhost)", text -> {
                    ListenAddress address = ListenAddress.parse(text);
                    check(address.isLoopback());
                    return address;
                });
    }

    static <E extends Enum<E>> ValueType<Set<E>> someOf(Class<E> values) {
        ValueType<E> one = oneOf(values);
        return new ValueType<>(
                "some of " + one.allowed.replace("one of ", "") + ", with commas in between",
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

    /** Paths that mean the same wherever the server is started. */
    static ValueType<List<Path>> absolutePaths() {
        return new ValueType<>(
                "absolute paths, with commas in between",
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

    /** A host, as it stands before the colon of an NFS source. */
    static ValueType<String> host() {
        return new ValueType<>("the name or address of a host", text -> {
            check(HOST.matcher(text.trim()).matches());
            return text.trim();
        });
    }

    /** Where a container engine listens. */
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
                "names of namespaces, with commas in between, or * for all",
                text -> Arrays.stream(text.split(",", -1))
                        .map(ValueType::namespace)
                        .collect(Collectors.toUnmodifiableSet()));
    }

    private static String namespace(String text) {
        String name = text.trim();
        check(name.equals(PodGrants.EVERYWHERE) || NAMESPACE.matcher(name).matches());
        return name;
    }

    static ValueType<List<PodGrants.Prefix>> hostPaths() {
        return new ValueType<>(
                "NAMESPACE=PATH with an absolute path, or *=PATH for all namespaces, with commas in between",
                text -> Arrays.stream(text.split(",", -1))
                        .map(ValueType::hostPath)
                        .toList());
    }

    private static PodGrants.Prefix hostPath(String text) {
        int equals = text.indexOf('=');
        check(equals > 0);
        return new PodGrants.Prefix(namespace(text.substring(0, equals)), absolutePath(text.substring(equals + 1)));
    }

    static ValueType<List<DiscoverySettings>> discovery() {
        return new ValueType<>(
                "DIRECTORY=CLASS, or DIRECTORY=CLASS+mounts, +wipe, with commas in between",
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
