package dev.mooring.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.util.StringQuotingChecker;
import dev.mooring.api.table.AgeFormat;
import dev.mooring.cli.ObjectNames.NamedObjects;
import dev.mooring.model.NearestMatch;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads objects of a running server, as they are now or were at a past moment. Immutable. */
final class ObjectReader {
    static final String JSON = "application/json";
    static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    private static final String METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    private static final String FORBIDDEN = "Error from server (Forbidden)";

    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .stringQuotingChecker(new TimeQuotingChecker())
            .build());

    private final ApiClient client;
    private final String at;

    /** @param at the past moment as for {@code --at}; null or "" for now */
    ObjectReader(ApiClient client, String at) {
        this.client = client;
        this.at = at == null ? "" : at;
    }

    /** Also quotes times, as kubectl does: some parsers would not read them as text. */
    private static final class TimeQuotingChecker extends StringQuotingChecker.Default {
        private static final long serialVersionUID = 1L;
        private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d?-\\d\\d?.*");

        @Override
        public boolean needToQuoteValue(String value) {
            return super.needToQuoteValue(value) || TIME.matcher(value).matches();
        }
    }

    /**
     * A moment of the server's history.
     *
     * @param time of the revision's event, if it is retained
     */
    record HistoryMoment(long revision, Optional<Instant> time) {
        static HistoryMoment of(JsonNode json) {
            return new HistoryMoment(
                    json.path("revision").asLong(),
                    Optional.of(json.path("time").asText(""))
                            .filter(text -> !text.isEmpty())
                            .map(Instant::parse));
        }

        /** Returns {@code revision 812, 2026-01-02T03:04:05Z (10m ago)}. */
        String describe(Instant now) {
            return "revision " + revision
                    + time.map(then -> ", " + then + " (" + AgeFormat.since(Optional.of(then), now) + " ago)")
                            .orElse("");
        }
    }

    /** Returns the moment of a read; the World of the smallest resource tells it. */
    HistoryMoment moment() {
        return HistoryMoment.of(client.get(query("/apis/mooring.dev/v1/world", "resources=storageclasses")));
    }

    /** Returns a reader of exactly this revision. */
    ObjectReader at(HistoryMoment moment) {
        return new ObjectReader(client, Long.toString(moment.revision()));
    }

    boolean isPast() {
        return !at.isEmpty();
    }

    /**
     * Returns an object.
     *
     * @throws MooringException with the nearest name if it does not exist
     */
    ObjectNode get(NamedObjects target, String accept) {
        String name = target.name().orElseThrow();
        try {
            return client.get(query(target.collectionPath() + '/' + encoded(name), ""), accept);
        } catch (MooringException e) {
            throw e.exitCode() == ExitCode.NOT_FOUND ? notFound(target, name, e) : e;
        }
    }

    /** Returns the explanation of an object. */
    ObjectNode explanation(NamedObjects target) {
        try {
            return client.get(query(
                    "/apis/mooring.dev/v1/explain/" + target.kind().resource()
                            + target.namespace()
                                    .map(each -> '/' + encoded(each))
                                    .orElse("")
                            + '/' + encoded(target.name().orElseThrow()),
                    ""));
        } catch (MooringException e) {
            throw e.exitCode() == ExitCode.NOT_FOUND
                    ? new MooringException(ExitCode.NOT_FOUND, e.getMessage() + elsewhere(target), e)
                    : e;
        }
    }

    /** Returns a hint that another namespace has an object of this name; "" if the user may not list it. */
    private String elsewhere(NamedObjects target) {
        if (target.namespace().isEmpty()) {
            return "";
        }
        String name = target.name().orElseThrow();
        String path = new NamedObjects(target.kind(), Optional.empty(), target.name()).collectionPath();
        String parameters = "limit=1&fieldSelector=" + encoded("metadata.name=" + name);
        try {
            String namespace = client.get(query(path, parameters), METADATA)
                    .at("/items/0/metadata/namespace")
                    .asText();
            String type = target.kind().names().shortNames().stream()
                    .findFirst()
                    .orElse(target.kind().names().singular());
            return namespace.isEmpty()
                    ? ""
                    : "; " + type + '/' + name + " exists in namespace " + namespace + ": add -n " + namespace;
        } catch (MooringException e) {
            return ""; // the user may not list all namespaces
        }
    }

    private MooringException notFound(NamedObjects target, String name, MooringException cause) {
        String elsewhere = elsewhere(target);
        if (!elsewhere.isEmpty()) {
            return new MooringException(ExitCode.NOT_FOUND, cause.getMessage() + elsewhere, cause);
        }
        List<String> names = new ArrayList<>();
        try {
            for (JsonNode item : client.get(query(target.collectionPath(), "limit=500"), METADATA)
                    .path("items")) {
                names.add(item.path("metadata").path("name").asText());
            }
        } catch (MooringException e) {
            return cause; // the user may get objects but not list them
        }
        return new MooringException(
                ExitCode.NOT_FOUND,
                cause.getMessage()
                        + NearestMatch.ignoringCase(name, names)
                                .map(near -> "; did you mean " + near + "?")
                                .orElse(""),
                cause);
    }

    /**
     * Returns the pages of a list, at least one.
     *
     * @param parameters such as {@code labelSelector=a%3Db}; "" for none
     */
    List<ObjectNode> pages(NamedObjects target, String parameters, String accept) {
        return client.pages(query(target.collectionPath(), parameters), accept);
    }

    /** Returns the objects of a list; empty if the user may not list them. */
    List<ObjectNode> listIfAllowed(NamedObjects target, String parameters) {
        try {
            return client.list(query(target.collectionPath(), parameters));
        } catch (MooringException e) {
            if (e.getMessage().startsWith(FORBIDDEN)) {
                return List.of();
            }
            throw e;
        }
    }

    private String query(String path, String parameters) {
        String when = at.isEmpty() ? "" : "at=" + encoded(at);
        String both = when + (when.isEmpty() || parameters.isEmpty() ? "" : "&") + parameters;
        return both.isEmpty() ? path : path + '?' + both;
    }

    /** Encodes a segment of a path or a value of a query. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Removes the fields that kubectl does not show either. */
    static ObjectNode withoutManagedFields(ObjectNode object) {
        if (object.path("metadata") instanceof ObjectNode metadata) {
            metadata.remove("managedFields");
        }
        return object;
    }

    static String yaml(JsonNode json) {
        try {
            return YAML.writeValueAsString(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Failed to encode JSON as YAML", e);
        }
    }
}
