package dev.mooring.api.auth;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An audit record of one request, with the fields of Kubernetes' {@code audit.k8s.io/v1} Event. Immutable.
 *
 * @param id of the request
 * @param received time of the request
 * @param completed time at which the response ended or, for a stream, started
 * @param path without the query, which may contain secrets
 * @param user empty for a request without a valid token
 * @param address the client's address
 * @param object target of the request; empty for a non-resource path
 * @param apiVersion the version of the object's group
 * @param decision whether the request was allowed, and why
 * @param annotations additional information by name
 * @param body the request's body, if it is recorded
 */
public record AuditRecord(
        String id,
        Stage stage,
        Instant received,
        Instant completed,
        String path,
        String verb,
        Optional<User> user,
        String address,
        String userAgent,
        Optional<Attributes.Resource> object,
        String apiVersion,
        Response response,
        AuditDecision decision,
        Map<String, String> annotations,
        Optional<RecordedBody> body) {
    /** Annotation with the reason why a body is missing. */
    public static final String NO_BODY = "mooring.dev/request-body";

    /** Microseconds, as in Kubernetes. */
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private static final int MAX_PATH = 2048;
    private static final int MAX_TEXT = 512;
    private static final int MAX_MESSAGE = 1024;

    /** The stage of the request at which the record is made. */
    public enum Stage {
        /** A long-running response has started: a watch or a container stream. */
        RESPONSE_STARTED("ResponseStarted"),
        RESPONSE_COMPLETE("ResponseComplete");

        private final String text;

        Stage(String text) {
            this.text = text;
        }
    }

    /**
     * The response to the request.
     *
     * @param reason of a failure; else ""
     * @param message of a refusal; else "", because messages about objects may contain parts of them
     */
    public record Response(int code, String reason, String message) {}

    /** The authorization decision. */
    public record AuditDecision(boolean allowed, String reason) {}

    /**
     * A body that is decoded and redacted when the record is written.
     *
     * @param bytes memory it holds until then
     */
    public record RecordedBody(int bytes, BodySource source) {}

    /** Decodes a body and removes its secrets. */
    public interface BodySource {
        /** Returns the redacted body; empty if it cannot be decoded, because its secrets are unknown then. */
        Optional<JsonNode> redacted();
    }

    AuditRecord withoutBody(String why) {
        Map<String, String> more = new TreeMap<>(annotations);
        more.put(NO_BODY, "left out: " + why);
        return new AuditRecord(
                id,
                stage,
                received,
                completed,
                path,
                verb,
                user,
                address,
                userAgent,
                object,
                apiVersion,
                response,
                decision,
                more,
                Optional.empty());
    }

    /** Returns the record as one line of JSON. */
    byte[] toJsonLine() {
        ByteArrayOutputStream line = new ByteArrayOutputStream(1024);
        try (JsonGenerator json = Json.ASCII.createGenerator(line)) {
            write(json);
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to encode a record in memory", e);
        }
        return line.toByteArray();
    }

    private void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", "Event");
        json.writeStringField("apiVersion", "audit.k8s.io/v1");
        json.writeStringField("level", body.isPresent() ? "Request" : "Metadata");
        json.writeStringField("auditID", id);
        json.writeStringField("stage", stage.text);
        json.writeStringField("requestURI", bounded(path, MAX_PATH));
        json.writeStringField("verb", bounded(verb, MAX_TEXT));
        writeUser(json);
        json.writeArrayFieldStart("sourceIPs");
        json.writeString(address);
        json.writeEndArray();
        writeUnlessEmpty(json, "userAgent", bounded(userAgent, MAX_TEXT));
        if (object.isPresent()) {
            writeObject(json, object.get());
        }
        writeResponse(json);
        Optional<JsonNode> content = body.flatMap(each -> each.source().redacted());
        if (content.isPresent()) {
            json.writeFieldName("requestObject");
            Json.ASCII.writeTree(json, content.get());
        }
        json.writeStringField("requestReceivedTimestamp", TIME.format(received));
        json.writeStringField("stageTimestamp", TIME.format(completed));
        writeAnnotations(json, body.isPresent() && content.isEmpty());
        json.writeEndObject();
        json.writeRaw('\n');
    }

    private void writeUser(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("user");
        json.writeStringField("username", user.map(User::name).orElse("system:anonymous"));
        writeUnlessEmpty(json, "uid", user.map(User::uid).orElse(""));
        json.writeArrayFieldStart("groups");
        for (String group : user.map(User::groups).orElse(List.of("system:unauthenticated"))) {
            json.writeString(group);
        }
        json.writeEndArray();
        if (user.isPresent()) {
            json.writeObjectFieldStart("extra");
            json.writeArrayFieldStart("mooring.dev/role");
            json.writeString(user.get().grant().role().text());
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private void writeObject(JsonGenerator json, Attributes.Resource about) throws IOException {
        json.writeObjectFieldStart("objectRef");
        json.writeStringField("resource", about.resource());
        writeUnlessEmpty(json, "namespace", bounded(about.namespace().orElse(""), MAX_TEXT));
        writeUnlessEmpty(json, "name", bounded(about.name().orElse(""), MAX_TEXT));
        writeUnlessEmpty(json, "apiGroup", about.group());
        writeUnlessEmpty(json, "apiVersion", apiVersion);
        writeUnlessEmpty(json, "subresource", about.subresource());
        json.writeEndObject();
    }

    private void writeResponse(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("responseStatus");
        json.writeObjectFieldStart("metadata");
        json.writeEndObject();
        if (!response.reason().isEmpty()) {
            json.writeStringField("status", "Failure");
            json.writeStringField("reason", response.reason());
            writeUnlessEmpty(json, "message", bounded(response.message(), MAX_MESSAGE));
        }
        json.writeNumberField("code", response.code());
        json.writeEndObject();
    }

    private void writeAnnotations(JsonGenerator json, boolean undecoded) throws IOException {
        json.writeObjectFieldStart("annotations");
        json.writeStringField("authorization.k8s.io/decision", decision.allowed() ? "allow" : "forbid");
        json.writeStringField("authorization.k8s.io/reason", bounded(decision.reason(), MAX_MESSAGE));
        for (Map.Entry<String, String> each : annotations.entrySet()) {
            json.writeStringField(each.getKey(), bounded(each.getValue(), MAX_TEXT));
        }
        if (undecoded) {
            json.writeStringField(NO_BODY, "left out: it could not be decoded");
        }
        json.writeEndObject();
    }

    private static void writeUnlessEmpty(JsonGenerator json, String field, String value) throws IOException {
        if (!value.isEmpty()) {
            json.writeStringField(field, value);
        }
    }

    private static String bounded(String text, int max) {
        return text.length() <= max ? text : text.substring(0, max) + "...";
    }
}
