package dev.mooring.api.table;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Parses an {@code Accept} header into the response format. Alternatives are tried by weight ({@code q}), then exact
 * types before wildcards, then in the given order, as in Kubernetes; unsupported conversions are skipped. Headers of
 * kubectl and client-go are looked up without parsing. Stateless; thread-safe.
 */
public final class AcceptHeader {
    private static final NegotiatedFormat.TableFormat TABLE_V1 = new NegotiatedFormat.TableFormat(MetaVersion.V1);
    private static final NegotiatedFormat.TableFormat TABLE_V1BETA1 =
            new NegotiatedFormat.TableFormat(MetaVersion.V1BETA1);
    private static final NegotiatedFormat.NotAcceptable NOT_ACCEPTABLE = new NegotiatedFormat.NotAcceptable();
    private static final String KUBECTL_TABLE =
            "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
    private static final Map<String, NegotiatedFormat> COMMON = common();

    private AcceptHeader() {}

    /** The negotiated format. */
    public sealed interface NegotiatedFormat {

        /** Objects and lists as stored. */
        enum PlainFormat implements NegotiatedFormat {
            JSON,
            YAML
        }

        record TableFormat(MetaVersion version) implements NegotiatedFormat {}

        /** Metadata only: of objects for {@link MetadataForm#ONE}, of a list for {@link MetadataForm#LIST}. */
        record MetadataOnly(MetadataForm form, MetaVersion version) implements NegotiatedFormat {}

        /** No format that the client accepts. */
        record NotAcceptable() implements NegotiatedFormat {
            public static final String MESSAGE =
                    "only the following media types are accepted: application/json," + " application/yaml";
        }

        /** Whether PartialObjectMetadata or PartialObjectMetadataList was requested. */
        enum MetadataForm {
            ONE,
            LIST
        }
    }

    /** @param header empty if the request has none */
    public static NegotiatedFormat parse(String header) {
        NegotiatedFormat common = COMMON.get(header);
        return common != null ? common : negotiate(header);
    }

    private static NegotiatedFormat negotiate(String header) {
        if (header.isBlank()) {
            return NegotiatedFormat.PlainFormat.JSON;
        }
        List<MediaRange> ranges = new ArrayList<>();
        for (String text : header.split(",", -1)) {
            MediaRange range = MediaRange.parse(text);
            if (range.weight() > 0) {
                ranges.add(range);
            }
        }
        ranges.sort(MediaRange.BEST_FIRST);
        for (MediaRange range : ranges) {
            NegotiatedFormat answer = answer(range);
            if (answer != NOT_ACCEPTABLE) {
                return answer;
            }
        }
        return NOT_ACCEPTABLE;
    }

    private static NegotiatedFormat answer(MediaRange range) {
        boolean json = range.covers("application", "json");
        if (range.as().isEmpty()) {
            if (json) {
                return NegotiatedFormat.PlainFormat.JSON;
            }
            return range.covers("application", "yaml") ? NegotiatedFormat.PlainFormat.YAML : NOT_ACCEPTABLE;
        }
        if (!json || !range.group().equals("meta.k8s.io")) {
            return NOT_ACCEPTABLE;
        }
        return switch (range.version()) {
            case "v1" -> converted(range.as(), MetaVersion.V1);
            case "v1beta1" -> converted(range.as(), MetaVersion.V1BETA1);
            default -> NOT_ACCEPTABLE;
        };
    }

    private static NegotiatedFormat converted(String kind, MetaVersion version) {
        return switch (kind) {
            case "Table" -> version == MetaVersion.V1 ? TABLE_V1 : TABLE_V1BETA1;
            case "PartialObjectMetadata" ->
                new NegotiatedFormat.MetadataOnly(NegotiatedFormat.MetadataForm.ONE, version);
            case "PartialObjectMetadataList" ->
                new NegotiatedFormat.MetadataOnly(NegotiatedFormat.MetadataForm.LIST, version);
            default -> NOT_ACCEPTABLE;
        };
    }

    private static Map<String, NegotiatedFormat> common() {
        Map<String, NegotiatedFormat> answers = new HashMap<>();
        for (String plain : List.of(
                "",
                "*/*",
                "application/*",
                "application/json",
                "application/json, */*",
                "application/vnd.kubernetes.protobuf,application/json",
                "application/vnd.kubernetes.protobuf, */*",
                "application/vnd.kubernetes.protobuf")) {
            answers.put(plain, negotiate(plain));
        }
        answers.put(KUBECTL_TABLE, negotiate(KUBECTL_TABLE));
        for (String kind : List.of("PartialObjectMetadata", "PartialObjectMetadataList")) {
            // The order of client-go's metadata client, and that of kubectl.
            for (String parameters : List.of("g=meta.k8s.io;v=v1", "v=v1;g=meta.k8s.io")) {
                String header = "application/json;as=" + kind + ";" + parameters;
                answers.put(header, negotiate(header));
            }
        }
        return Map.copyOf(answers);
    }

    /** One alternative of the header. {@code as}, {@code group} and {@code version} are empty if not given. */
    private record MediaRange(String type, String subtype, double weight, String as, String group, String version) {

        static final Comparator<MediaRange> BEST_FIRST = Comparator.<MediaRange>comparingDouble(
                        range -> -range.weight())
                .thenComparingInt(range -> -range.specificity());

        static MediaRange parse(String text) {
            String[] parts = text.split(";", -1);
            String media = parts[0].strip().toLowerCase(Locale.ROOT);
            int slash = media.indexOf('/');
            String type = slash < 0 ? media : media.substring(0, slash);
            String subtype = slash < 0 ? (media.equals("*") ? "*" : "") : media.substring(slash + 1);
            double weight = 1;
            String as = "";
            String group = "";
            String version = "";
            for (int i = 1; i < parts.length; i++) {
                int equals = parts[i].indexOf('=');
                String name = equals < 0 ? "" : parts[i].substring(0, equals).strip();
                String value = equals < 0 ? "" : parts[i].substring(equals + 1).strip();
                switch (name) {
                    case "q" -> weight = weight(value);
                    case "as" -> as = value;
                    case "g" -> group = value;
                    case "v" -> version = value;
                    default -> {
                        // charset, pretty and other parameters do not affect the format.
                    }
                }
            }
            return new MediaRange(type, subtype, weight, as, group, version);
        }

        boolean covers(String wantedType, String wantedSubtype) {
            return type.equals("*")
                    || (type.equals(wantedType) && (subtype.equals("*") || subtype.equals(wantedSubtype)));
        }

        int specificity() {
            return type.equals("*") ? 0 : subtype.equals("*") ? 1 : 2;
        }

        private static double weight(String value) {
            try {
                return Double.parseDouble(value);
            } catch (NumberFormatException ignored) {
                return 1;
            }
        }
    }

    /** The versions of {@code meta.k8s.io} for Tables and metadata-only objects. Their JSON is otherwise the same. */
    public enum MetaVersion {
        V1("v1"),
        V1BETA1("v1beta1");

        private final String version;

        MetaVersion(String version) {
            this.version = version;
        }

        public String version() {
            return version;
        }

        public String apiVersion() {
            return "meta.k8s.io/" + version;
        }
    }
}
