package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.patch.FieldManager;
import dev.mooring.api.resource.DeleteOptions;
import dev.mooring.api.resource.Patch;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.resource.ResourceWriter;
import dev.mooring.api.resource.WriteOptions;
import dev.mooring.api.resource.WriteOptions.FieldValidation;
import dev.mooring.api.resource.WriteOptions.Mode;
import dev.mooring.api.resource.WriteResponse;
import dev.mooring.api.types.BodyException;
import dev.mooring.api.types.JsonBody;
import dev.mooring.api.types.KindDecoder;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.api.types.ParsedBody;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Selection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * A write request as a client sends it, with its body as bytes, decoded by the server like in {@code api.http}.
 * Immutable.
 *
 * @param description for the coverage: {@code deletes a bound PV}
 * @param name empty for the collection, also for creation
 * @param prior the revision that the object must have had for a success, because the request requires it
 * @param expected whether it may succeed
 */
record SimRequest(
        String description,
        Verb verb,
        String resource,
        Optional<String> namespace,
        Optional<String> name,
        String subresource,
        WriteCall call,
        OptionalLong prior,
        ExpectedResult expected,
        Mode mode,
        FieldValidation validation) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Verb of the request. */
    enum Verb {
        CREATE("create"),
        REPLACE("update"),
        PATCH("patch"),
        APPLY("patch"),
        DELETE("delete"),
        DELETE_ALL("deletecollection");

        private final String text;

        Verb(String text) {
            this.text = text;
        }

        /** The verb of Kubernetes' authorization. */
        String text() {
            return text;
        }
    }

    /** Expected result of the request. */
    enum ExpectedResult {
        ANY,
        /** The request is invalid and must be rejected. */
        REFUSED
    }

    /** Executes the request in the server. */
    @FunctionalInterface
    interface WriteCall {
        CompletionStage<WriteResponse> on(
                ResourceWriter writer, ResourceRef target, WriteOptions options, Executor back);
    }

    private static SimRequest of(
            String description,
            Verb verb,
            String resource,
            Optional<String> namespace,
            Optional<String> name,
            String subresource,
            WriteCall call) {
        return new SimRequest(
                description,
                verb,
                resource,
                namespace,
                name,
                subresource,
                call,
                OptionalLong.empty(),
                ExpectedResult.ANY,
                Mode.COMMIT,
                FieldValidation.WARN);
    }

    private static SimRequest on(String description, Verb verb, ObjectKey key, String subresource, WriteCall call) {
        return of(description, verb, key.resource(), key.namespace(), Optional.of(key.name()), subresource, call);
    }

    static SimRequest create(String description, String resource, Optional<String> namespace, ObjectNode object) {
        byte[] body = bytes(object);
        return of(
                description,
                Verb.CREATE,
                resource,
                namespace,
                Optional.empty(),
                "",
                (writer, target, options, back) -> writer.create(target, decode(target.kind(), body), options, back));
    }

    /** Replaces an object; if it has a resourceVersion, only that version. */
    static SimRequest replace(String description, ObjectKey key, String subresource, ObjectNode object) {
        byte[] body = bytes(object);
        String seen = object.path("metadata").path("resourceVersion").asText("");
        SimRequest request = on(
                description,
                Verb.REPLACE,
                key,
                subresource,
                (writer, target, options, back) -> writer.replace(target, decode(target.kind(), body), options, back));
        return seen.isEmpty() ? request : request.withPrior(OptionalLong.of(Long.parseLong(seen)));
    }

    static SimRequest patch(
            String description, ObjectKey key, String subresource, Patch.PatchFormat format, JsonNode patch) {
        byte[] body = bytes(patch);
        return on(description, Verb.PATCH, key, subresource, (writer, target, options, back) -> {
            ParsedBody parsed = parse(body);
            return writer.patch(target, new Patch(format, parsed.root(), parsed.duplicates()), options, back);
        });
    }

    static SimRequest apply(String description, ObjectKey key, ObjectNode object, FieldManager.Force force) {
        byte[] body = bytes(object);
        return on(
                description,
                Verb.APPLY,
                key,
                "",
                (writer, target, options, back) ->
                        writer.apply(target, decode(target.kind(), body), force, options, back));
    }

    static SimRequest delete(String description, ObjectKey key, ObjectNode deleteOptions) {
        return on(
                description,
                Verb.DELETE,
                key,
                "",
                (writer, target, options, back) ->
                        writer.delete(target, DeleteOptions.of(deleteOptions), options, back));
    }

    static SimRequest delete(String description, ObjectKey key) {
        return delete(description, key, JsonNodeFactory.instance.objectNode());
    }

    static SimRequest deleteAll(String description, String resource, Optional<String> namespace) {
        return of(
                description,
                Verb.DELETE_ALL,
                resource,
                namespace,
                Optional.empty(),
                "",
                (writer, target, options, back) ->
                        writer.deleteAll(target, Selection.everything(), DeleteOptions.DEFAULT, options, back));
    }

    private SimRequest withPrior(OptionalLong seen) {
        return new SimRequest(
                description, verb, resource, namespace, name, subresource, call, seen, expected, mode, validation);
    }

    SimRequest expectRefused() {
        return new SimRequest(
                description,
                verb,
                resource,
                namespace,
                name,
                subresource,
                call,
                prior,
                ExpectedResult.REFUSED,
                mode,
                validation);
    }

    SimRequest asDryRun() {
        return new SimRequest(
                description + ", dry run",
                verb,
                resource,
                namespace,
                name,
                subresource,
                call,
                prior,
                expected,
                Mode.DRY_RUN,
                validation);
    }

    SimRequest withStrictValidation() {
        return new SimRequest(
                description,
                verb,
                resource,
                namespace,
                name,
                subresource,
                call,
                prior,
                expected,
                mode,
                FieldValidation.STRICT);
    }

    boolean isDryRun() {
        return mode == Mode.DRY_RUN;
    }

    private static KindDecoder.DecodedBody decode(KindDefinition kind, byte[] body) {
        try {
            return kind.decoder().decode(body, KindDecoder.BodyFormat.JSON, kind.rules()::normalize);
        } catch (BodyException e) {
            throw new StatusException(Status.badRequest(e.getMessage()));
        }
    }

    private static ParsedBody parse(byte[] body) {
        try {
            return JsonBody.parse(body);
        } catch (BodyException e) {
            throw new StatusException(Status.badRequest(e.getMessage()));
        }
    }

    private static byte[] bytes(JsonNode body) {
        try {
            return MAPPER.writeValueAsBytes(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
