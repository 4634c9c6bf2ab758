package dev.mooring.api.table;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads an {@code Accept} header into the form of the answer. Alternatives are tried by weight ({@code q}), then exact types before
 * wildcards, then in the order given, as Kubernetes does; one that asks for a conversion nobody here can do is passed over. Stateless;
 * any thread. The headers that kubectl and client-go send are looked up as a whole and cost nothing.
 */
public final class Accepts {
    private static final Answer.Table TABLE_V1 = new Answer.Table(MetaVersion.V1);
    private static final Answer.Table TABLE_V1BETA1 = new Answer.Table(MetaVersion.V1BETA1);
    private static final Answer.NotAcceptable NOT_ACCEPTABLE =
            new Answer.NotAcceptable(List.of("application/json", "application/yaml"));
    private static final String KUBECTL_TABLE =
            "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
    private static final Map<String, Answer> COMMON = common();

    private Accepts() {}

    /** What to answer with. */
    public sealed interface Answer {

        /** Objects and lists as they are. */
        enum Plain implements Answer {
            JSON,
            YAML
        }

        record Table(MetaVersion version) implements Answer {}

        /** Nothing but metadata: of objects for {@link Form#ONE}, of a list for {@link Form#LIST}. */
        record MetadataOnly(Form form, MetaVersion version) implements Answer {}

        /** @param supported media types for the message of the 406 */
        record NotAcceptable(List<String> supported) implements Answer {
            public String message() {
                return "only the following media types are accepted: " + String.join(", ", supported);
            }
        }

        /** Which of PartialObjectMetadata and PartialObjectMetadataList was asked for. */
        enum Form {
            ONE,
            LIST
        }
    }

    /** @param header empty if the request has none */
    public static Answer of(String header) {
        Answer common = COMMON.get(header);
        return common != null ? common : negotiate(header);
    }

    private static Answer negotiate(String header) {
        if (header.isBlank()) {
            return Answer.Plain.JSON;
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
            Answer answer = answer(range);
            if (answer != NOT_ACCEPTABLE) {
                return answer;
            }
        }
        return NOT_ACCEPTABLE;
    }

    private static Answer answer(MediaRange range) {
        boolean json = range.covers("application", "json");
        if (range.as().isEmpty()) {
            if (json) {
                return Answer.Plain.JSON;
            }
            return range.covers("application", "yaml") ? Answer.Plain.YAML : NOT_ACCEPTABLE;
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

    private static Answer converted(String kind, MetaVersion version) {
        return switch (kind) {
            case "Table" -> version == MetaVersion.V1 ? TABLE_V1 : TABLE_V1BETA1;
            case "PartialObjectMetadata" -> new Answer.MetadataOnly(Answer.Form.ONE, version);
            case "PartialObjectMetadataList" -> new Answer.MetadataOnly(Answer.Form.LIST, version);
            default -> NOT_ACCEPTABLE;
        };
    }

    private static Map<String, Answer> common() {
        Map<String, Answer> answers = new HashMap<>();
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
            // As the metadata client of client-go writes it, and as kubectl writes its own.
            for (String parameters : List.of("g=meta.k8s.io;v=v1", "v=v1;g=meta.k8s.io")) {
                String header = "application/json;as=" + kind + ";" + parameters;
                answers.put(header, negotiate(header));
            }
        }
        return Map.copyOf(answers);
    }

    /** One alternative of the header. {@code as}, {@code group} and {@code version} are empty where not given. */
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
                        // charset, pretty and what else there may be changes nothing about the form.
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
}
