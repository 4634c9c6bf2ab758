package dev.mooring.api.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import dev.mooring.api.kind.Kind;
import dev.mooring.api.resource.Page;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.api.table.Accepts;
import dev.mooring.api.table.IncludeObject;
import dev.mooring.api.table.PartialMetadata;
import dev.mooring.api.table.TableWriter;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;

/** How objects are written to a client: as they are, as a Table, metadata only, as YAML. Immutable. */
final class Form {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Kind kind;
    private final Accepts.Answer accepted;
    private final IncludeObject include;

    private Form(Kind kind, Accepts.Answer accepted, IncludeObject include) {
        this.kind = kind;
        this.accepted = accepted;
        this.include = include;
    }

    static Form of(Exchange exchange, Kind kind) {
        Accepts.Answer accepted = Accepts.of(exchange.header("Accept"));
        if (accepted instanceof Accepts.Answer.NotAcceptable no) {
            throw new StatusException(new Status(406, "NotAcceptable", no.message()));
        }
        String included = exchange.query().text("includeObject");
        IncludeObject include = IncludeObject.parse(included)
                .orElseThrow(() -> new StatusException(Status.badRequest(IncludeObject.refusal(included))));
        return new Form(kind, accepted, include);
    }

    /** Whether objects are sent as they are stored, so that it costs next to nothing. */
    boolean isPlain() {
        return accepted == Accepts.Answer.Plain.JSON;
    }

    String contentType() {
        return accepted == Accepts.Answer.Plain.YAML ? Bodies.YAML : Exchange.JSON;
    }

    byte[] one(StoredObject object, Instant now) {
        return object(object.json(), TableWriter.Headers.SHOWN, now);
    }

    /** As the object of a watch event. YAML is for people, who do not watch by hand. */
    byte[] watched(byte[] json, TableWriter.Headers headers, Instant now) {
        return accepted == Accepts.Answer.Plain.YAML ? json : object(json, headers, now);
    }

    private byte[] object(byte[] json, TableWriter.Headers headers, Instant now) {
        if (accepted instanceof Accepts.Answer.Table table) {
            return writer().one(json, new TableWriter.Style(table.version(), include), headers, now);
        }
        if (accepted instanceof Accepts.Answer.MetadataOnly partial) {
            return PartialMetadata.one(json, partial.version());
        }
        return accepted == Accepts.Answer.Plain.YAML ? Yaml.of(json) : json;
    }

    /** The pieces of a list, one after another. */
    Iterator<byte[]> list(Page page, Instant now) {
        if (isPlain()) {
            return new ListPieces(kind, page);
        }
        Iterable<byte[]> objects =
                () -> page.objects().stream().map(StoredObject::json).iterator();
        if (accepted instanceof Accepts.Answer.Table table) {
            TableWriter.Style style = new TableWriter.Style(table.version(), include);
            return List.of(writer().list(objects, page.meta(), style, now)).iterator();
        }
        if (accepted instanceof Accepts.Answer.MetadataOnly partial) {
            return List.of(PartialMetadata.list(objects, page.meta(), partial.version()))
                    .iterator();
        }
        return List.of(Yaml.of(new ListPieces(kind, page).toBytes())).iterator();
    }

    private TableWriter writer() {
        return new TableWriter(kind.columns());
    }

    /** Loaded when the first client wants YAML. */
    private static final class Yaml {
        private static final ObjectMapper MAPPER =
                new ObjectMapper(new YAMLFactory().disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER));

        static byte[] of(byte[] json) {
            try {
                return MAPPER.writeValueAsBytes(JSON.readTree(json));
            } catch (IOException e) {
                throw new UncheckedIOException("Expected to write an object as YAML, but it failed", e);
            }
        }
    }
}
