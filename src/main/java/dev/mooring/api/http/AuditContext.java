package dev.mooring.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.AuditLog;
import dev.mooring.api.auth.AuditRecord;
import dev.mooring.api.auth.AuditRecord.Stage;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.Role;
import dev.mooring.api.auth.User;
import dev.mooring.api.resource.IdGenerator;
import dev.mooring.api.types.KindDecoder;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.time.Clock;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Collects the audit information of one request. Records it once, at the end, if the request was refused, changed
 * something, accessed a container, or read Secrets, tokens or history. Confined to the event loop of its request.
 */
final class AuditContext {
    private static final Set<String> READS = Set.of("get", "list", "watch");
    private static final Set<String> SECRET_RESOURCES = Set.of("secrets", "tokens");
    private static final Set<String> CONTAINER_ACCESS = Set.of("exec", "attach", "portforward");

    /** Resources that a node's agent writes continuously. */
    private static final Set<String> HEARTBEATS = Set.of("leases", "events");

    /**
     * State that all requests share.
     *
     * @param log audit log; empty if disabled
     */
    record SharedAuditState(Optional<AuditLog> log, Clock clock, IdGenerator ids) {}

    private final SharedAuditState shared;
    private final HttpServerRequest request;
    private final Instant received;
    private Optional<User> user = Optional.empty();
    private Optional<Attributes.Resource> object = Optional.empty();
    private String apiVersion = "";
    private String allowedBecause = "";
    private boolean history;
    private Map<String, String> annotations = Map.of();
    private Optional<AuditRecord.RecordedBody> body = Optional.empty();
    private boolean recorded;

    AuditContext(SharedAuditState shared, HttpServerRequest request) {
        this.shared = shared;
        this.request = request;
        this.received = shared.log().isPresent() ? shared.clock().instant() : Instant.EPOCH;
    }

    void setUser(User authenticated) {
        user = Optional.of(authenticated);
    }

    /** @param version of the resource's group */
    void setResource(Attributes.Resource wanted, String version) {
        object = Optional.of(wanted);
        apiVersion = version;
    }

    /** Sets the name of a created object, which only the body contains. */
    void setName(String name) {
        object = object.map(about -> about.withName(name));
    }

    void setDecision(Authorizer.AuthorizationDecision decision) {
        if (decision instanceof Authorizer.AuthorizationDecision.Allowed allowed) {
            allowedBecause = allowed.reason();
        }
    }

    /** Marks the request as a read of, or watch from, a past revision. */
    void markHistoryRead(long revision) {
        history = true;
        annotate("mooring.dev/revision", Long.toString(revision));
    }

    void markDryRun() {
        annotate("mooring.dev/dry-run", "true");
    }

    /** Sets the client's request id, which the event log also contains. */
    void setRequestId(String id) {
        if (!id.isEmpty()) {
            annotate("mooring.dev/request-id", id);
        }
    }

    private void annotate(String name, String value) {
        if (annotations.isEmpty()) {
            annotations = new TreeMap<>();
        }
        annotations.put(name, value);
    }

    /** Sets the request's body; no-op unless bodies are recorded. */
    void setBody(String contentType, byte[] content) {
        if (content.length == 0
                || object.isEmpty()
                || shared.log().filter(AuditLog::recordsBodies).isEmpty()) {
            return;
        }
        if (content.length > AuditLog.MAX_BODY_BYTES) {
            annotate(
                    AuditRecord.NO_BODY,
                    "left out: " + content.length + " bytes, more than " + AuditLog.MAX_BODY_BYTES);
            return;
        }
        Attributes.Resource about = object.get();
        body = Optional.of(new AuditRecord.RecordedBody(
                content.length, () -> AuditBodyRedactor.redact(about.resource(), contentType, content)));
    }

    /** Records that a long-running response has started. */
    void recordStarted(int code) {
        record(Stage.RESPONSE_STARTED, new AuditRecord.Response(code, "", ""));
    }

    void recordCompleted(int code) {
        record(Stage.RESPONSE_COMPLETE, new AuditRecord.Response(code, "", ""));
    }

    void recordCompleted(Status status) {
        boolean refusal = isRefusal(status.code());
        record(
                Stage.RESPONSE_COMPLETE,
                new AuditRecord.Response(status.code(), status.reason(), refusal ? status.message() : ""));
    }

    private static boolean isRefusal(int code) {
        return code == 401 || code == 403 || code == 429;
    }

    private void record(Stage stage, AuditRecord.Response response) {
        if (shared.log().isEmpty() || recorded) {
            return;
        }
        recorded = true;
        if (isRefusal(response.code())) {
            shared.log()
                    .get()
                    .addRefused(of(stage, response, new AuditRecord.AuditDecision(false, response.message())));
        } else if (isAuditable()) {
            shared.log().get().add(of(stage, response, new AuditRecord.AuditDecision(true, allowedBecause)));
        }
    }

    private boolean isAuditable() {
        if (object.isEmpty()) {
            return false;
        }
        Attributes.Resource about = object.get();
        if (HEARTBEATS.contains(about.resource())
                && user.filter(each -> each.grant().role() == Role.NODE).isPresent()) {
            return false;
        }
        return history
                || !READS.contains(about.verb())
                || SECRET_RESOURCES.contains(about.resource())
                || CONTAINER_ACCESS.contains(about.subresource());
    }

    private String address() {
        SocketAddress from = request.remoteAddress();
        return from == null ? "" : Objects.requireNonNullElse(from.hostAddress(), "");
    }

    private AuditRecord of(Stage stage, AuditRecord.Response response, AuditRecord.AuditDecision decision) {
        String agent = request.getHeader(HttpHeaders.USER_AGENT);
        return new AuditRecord(
                shared.ids().uid(),
                stage,
                received,
                shared.clock().instant(),
                request.path() == null ? "" : request.path(),
                object.map(Attributes.Resource::verb)
                        .orElseGet(() -> request.method().name().toLowerCase(Locale.ROOT)),
                user,
                address(),
                agent == null ? "" : agent,
                object,
                apiVersion,
                response,
                decision,
                annotations,
                body);
    }

    /**
     * Redacts request bodies for the audit log. Of Secrets and tokens, only values of known harmless fields and the
     * names of other fields are kept, because a client may send the secret in any field. Pure; thread-safe.
     */
    private static final class AuditBodyRedactor {
        private static final String REDACTED = "REDACTED";
        private static final Set<String> SECRET_RESOURCES = Set.of("secrets", "tokens");
        private static final Set<String> SECRET_KINDS = Set.of("Secret", "SecretList", "Token", "TokenList", "List");

        /** Fields of an object or of a JSON patch operation whose values are kept. */
        private static final Set<String> SHOWN =
                Set.of("apiVersion", "kind", "type", "immutable", "op", "path", "from");

        private static final Set<String> SHOWN_METADATA =
                Set.of("name", "namespace", "generateName", "labels", "finalizers", "resourceVersion", "uid");

        private static final Set<String> SHOWN_OF_TOKENS =
                Set.of("user", "role", "namespaces", "expires", "serviceAccount");

        private AuditBodyRedactor() {}

        /** Returns the redacted body; empty if it cannot be decoded. */
        static Optional<JsonNode> redact(String resource, String contentType, byte[] body) {
            try {
                JsonNode content = decode(contentType, body);
                boolean secret = SECRET_RESOURCES.contains(resource)
                        || SECRET_KINDS.contains(content.path("kind").asText());
                return Optional.of(
                        secret
                                ? withoutSecrets(content, resource.equals("tokens") ? SHOWN_OF_TOKENS : Set.of())
                                : content);
            } catch (StatusException e) {
                return Optional.empty();
            }
        }

        private static JsonNode decode(String contentType, byte[] body) {
            String media = RequestBodyDecoder.mediaType(contentType);
            if (media.endsWith("-patch+yaml")) {
                return RequestBodyDecoder.parse(body, KindDecoder.BodyFormat.YAML)
                        .root();
            }
            if (media.endsWith("+json")) {
                return RequestBodyDecoder.parse(body, KindDecoder.BodyFormat.JSON)
                        .root();
            }
            return RequestBodyDecoder.decodeUntyped(contentType, body);
        }

        private static JsonNode withoutSecrets(JsonNode content, Set<String> shownSpec) {
            if (content instanceof ArrayNode operations) {
                ArrayNode redacted = JsonNodeFactory.instance.arrayNode();
                operations.forEach(each -> redacted.add(withoutSecrets(each, shownSpec)));
                return redacted;
            }
            if (!(content instanceof ObjectNode object)) {
                return JsonNodeFactory.instance.textNode(REDACTED);
            }
            ObjectNode redacted = JsonNodeFactory.instance.objectNode();
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                switch (field.getKey()) {
                    case "metadata" -> redacted.set("metadata", shown(field.getValue(), SHOWN_METADATA));
                    case "data", "stringData" -> redacted.set(field.getKey(), shown(field.getValue(), Set.of()));
                    case "spec" -> redacted.set("spec", shown(field.getValue(), shownSpec));
                    default ->
                        redacted.set(
                                field.getKey(),
                                SHOWN.contains(field.getKey())
                                                && field.getValue().isValueNode()
                                        ? field.getValue()
                                        : JsonNodeFactory.instance.textNode(REDACTED));
                }
            }
            return redacted;
        }

        /** Returns all field names, with the values of the given fields only. */
        private static JsonNode shown(JsonNode content, Set<String> fields) {
            ObjectNode redacted = JsonNodeFactory.instance.objectNode();
            for (Map.Entry<String, JsonNode> field : content.properties()) {
                redacted.set(
                        field.getKey(),
                        fields.contains(field.getKey())
                                ? field.getValue()
                                : JsonNodeFactory.instance.textNode(REDACTED));
            }
            return redacted;
        }
    }
}
