package dev.mooring.api.http;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.resource.Page;
import dev.mooring.api.table.AcceptHeader;
import dev.mooring.api.table.ListChunks;
import dev.mooring.api.table.ListMeta;
import dev.mooring.api.table.PartialMetadata;
import dev.mooring.api.table.TableWriter;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.Json;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.UnaryOperator;

/** The response format of objects: as stored, as a Table, metadata only, or as YAML. Immutable. */
final class ResponseFormat {
    private final KindDefinition kind;
    private final AcceptHeader.NegotiatedFormat accepted;
    private final TableWriter.IncludeObject include;

    private ResponseFormat(
            KindDefinition kind, AcceptHeader.NegotiatedFormat accepted, TableWriter.IncludeObject include) {
        this.kind = kind;
        this.accepted = accepted;
        this.include = include;
    }

    static ResponseFormat of(ApiRequest request, KindDefinition kind) {
        AcceptHeader.NegotiatedFormat accepted = AcceptHeader.parse(request.header("Accept"));
        if (accepted instanceof AcceptHeader.NegotiatedFormat.NotAcceptable) {
            throw new StatusException(
                    new Status(406, "NotAcceptable", AcceptHeader.NegotiatedFormat.NotAcceptable.MESSAGE));
        }
        String included = request.query().text("includeObject");
        TableWriter.IncludeObject include = TableWriter.IncludeObject.parse(included)
                .orElseThrow(() -> new StatusException(Status.badRequest(TableWriter.IncludeObject.refusal(included))));
        return new ResponseFormat(kind, accepted, include);
    }

    /** Returns whether objects are sent as stored, which costs almost nothing. */
    boolean isPlain() {
        return accepted == AcceptHeader.NegotiatedFormat.PlainFormat.JSON;
    }

    String contentType() {
        return accepted == AcceptHeader.NegotiatedFormat.PlainFormat.YAML ? RequestBodyDecoder.YAML : ApiRequest.JSON;
    }

    byte[] encodeObject(StoredObject object, Instant now) {
        return object(object.json(), TableWriter.Headers.SHOWN, now);
    }

    /** Encodes the object of a watch event. YAML is not used for watches, because it is for people. */
    byte[] encodeWatchObject(byte[] json, TableWriter.Headers headers, Instant now) {
        return accepted == AcceptHeader.NegotiatedFormat.PlainFormat.YAML ? json : object(json, headers, now);
    }

    private byte[] object(byte[] json, TableWriter.Headers headers, Instant now) {
        if (accepted instanceof AcceptHeader.NegotiatedFormat.TableFormat table) {
            return writer().one(json, new TableWriter.Style(table.version(), include), headers, now);
        }
        if (accepted instanceof AcceptHeader.NegotiatedFormat.MetadataOnly partial) {
            return PartialMetadata.one(json, partial.version());
        }
        return accepted == AcceptHeader.NegotiatedFormat.PlainFormat.YAML ? YamlEncoder.of(json) : json;
    }

    /** Returns the pieces of a list in order. */
    Iterator<byte[]> encodeList(Page page, Instant now) {
        Iterable<byte[]> objects =
                () -> page.objects().stream().map(StoredObject::json).iterator();
        if (accepted instanceof AcceptHeader.NegotiatedFormat.TableFormat table) {
            TableWriter.Style style = new TableWriter.Style(table.version(), include);
            return writer().list(objects, page.meta(), style, now);
        }
        if (accepted instanceof AcceptHeader.NegotiatedFormat.MetadataOnly partial) {
            return PartialMetadata.list(objects, page.meta(), partial.version());
        }
        String start = start(page.meta());
        if (isPlain()) {
            return new ListChunks(start + ",\"items\":[", objects.iterator(), items(), ",", "]}\n");
        }
        String yaml =
                new String(YamlEncoder.of((start + '}').getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
        String items = page.objects().isEmpty() ? "items: []\n" : "items:\n";
        UnaryOperator<byte[]> withoutType = items();
        return new ListChunks(
                yaml + items, objects.iterator(), item -> YamlEncoder.item(withoutType.apply(item)), "", "");
    }

    /**
     * Returns a function that removes kind and apiVersion from an item of a list, which has them itself. Typed clients
     * would otherwise see a difference between an object of a list and the same object of a get.
     */
    private UnaryOperator<byte[]> items() {
        byte[] type = ("{\"kind\":\"" + kind.names().kind() + "\",\"apiVersion\":\""
                        + kind.names().apiVersion() + "\",")
                .getBytes(StandardCharsets.UTF_8);
        return json -> withoutType(json, type);
    }

    /** @param type the start of nearly all stored objects, which therefore need not be parsed */
    private static byte[] withoutType(byte[] json, byte[] type) {
        if (json.length > type.length && Arrays.equals(json, 0, type.length, type, 0, type.length)) {
            byte[] item = Arrays.copyOfRange(json, type.length - 1, json.length);
            item[0] = '{';
            return item;
        }
        try {
            ObjectNode object = (ObjectNode) Json.MAPPER.readTree(json);
            return Json.MAPPER.writeValueAsBytes(object.without(List.of("kind", "apiVersion")));
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to encode item of a list", e);
        }
    }

    /** Returns a list up to its items. */
    private String start(ListMeta meta) {
        StringBuilder text = new StringBuilder(160);
        text.append("{\"kind\":\"").append(kind.names().kind()).append("List\",\"apiVersion\":\"");
        text.append(kind.names().apiVersion()).append("\",\"metadata\":{\"resourceVersion\":\"");
        text.append(meta.resourceVersion()).append('"');
        meta.continueToken()
                .ifPresent(token -> text.append(",\"continue\":\"")
                        .append(JsonStringEncoder.getInstance().quoteAsString(token))
                        .append('"'));
        meta.remainingItemCount()
                .ifPresent(count -> text.append(",\"remainingItemCount\":").append(count));
        return text.append('}').toString();
    }

    private TableWriter writer() {
        return new TableWriter(kind.columns());
    }

    /** Holder that loads the YAML encoder on first use. */
    private static final class YamlEncoder {
        private static final ObjectMapper MAPPER =
                new ObjectMapper(new YAMLFactory().disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER));

        /** Encodes an item of a sequence. */
        static byte[] item(byte[] json) {
            try {
                return MAPPER.writeValueAsBytes(List.of(Json.MAPPER.readTree(json)));
            } catch (IOException e) {
                throw new UncheckedIOException("Failed to encode object as YAML", e);
            }
        }

        static byte[] of(byte[] json) {
            try {
                return MAPPER.writeValueAsBytes(Json.MAPPER.readTree(json));
            } catch (IOException e) {
                throw new UncheckedIOException("Failed to encode object as YAML", e);
            }
        }
    }
}
