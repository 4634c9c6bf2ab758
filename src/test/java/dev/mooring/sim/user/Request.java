package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.apply.Force;
import dev.mooring.api.decode.BodyException;
import dev.mooring.api.decode.BodyFormat;
import dev.mooring.api.decode.Decoded;
import dev.mooring.api.decode.JsonBody;
import dev.mooring.api.decode.Parsed;
import dev.mooring.api.kind.Kind;
import dev.mooring.api.resource.Answer;
import dev.mooring.api.resource.DeleteOptions;
import dev.mooring.api.resource.Patch;
import dev.mooring.api.resource.Target;
import dev.mooring.api.resource.WriteOptions;
import dev.mooring.api.resource.WriteOptions.FieldValidation;
import dev.mooring.api.resource.WriteOptions.Mode;
import dev.mooring.api.resource.Writer;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.select.Selection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * A write as a client sends it, with its body as bytes, read by the server as {@code api.http} does it. Immutable.
 *
 * @param what for the coverage: {@code deletes a bound PV}
 * @param name nothing for the collection, which is also what is created in
 * @param prior the revision that the object must have had if this succeeds, because the request says so
 * @param hope whether it may succeed
 */
record Request(
        String what,
        Verb verb,
        String resource,
        Optional<String> namespace,
        Optional<String> name,
        String subresource,
        Call call,
        OptionalLong prior,
        Hope hope,
        Mode mode,
        FieldValidation validation) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** What is asked for. */
    enum Verb {
        CREATE,
        REPLACE,
        PATCH,
        APPLY,
        DELETE,
        DELETE_ALL
    }

    /** What becomes of it, as far as its sender knows. */
    enum Hope {
        OPEN,
        /** It breaks a rule, and must be refused. */
        NONE
    }

    /** Hands it to the server's logic. */
    @FunctionalInterface
    interface Call {
        CompletionStage<Answer> on(Writer writer, Target target, WriteOptions options, Executor back);
    }

    private static Request of(
            String what,
            Verb verb,
            String resource,
            Optional<String> namespace,
            Optional<String> name,
            String subresource,
            Call call) {
        return new Request(
                what,
                verb,
                resource,
                namespace,
                name,
                subresource,
                call,
                OptionalLong.empty(),
                Hope.OPEN,
                Mode.COMMIT,
                FieldValidation.WARN);
    }

    private static Request on(String what, Verb verb, ObjectKey key, String subresource, Call call) {
        return of(what, verb, key.resource(), key.namespace(), Optional.of(key.name()), subresource, call);
    }

    static Request create(String what, String resource, Optional<String> namespace, ObjectNode object) {
        byte[] body = bytes(object);
        return of(
                what,
                Verb.CREATE,
                resource,
                namespace,
                Optional.empty(),
                "",
                (writer, target, options, back) -> writer.create(target, decode(target.kind(), body), options, back));
    }

    /** The object as a whole; if it says its resourceVersion, only instead of that. */
    static Request replace(String what, ObjectKey key, String subresource, ObjectNode object) {
        byte[] body = bytes(object);
        String seen = object.path("metadata").path("resourceVersion").asText("");
        Request request = on(
                what,
                Verb.REPLACE,
                key,
                subresource,
                (writer, target, options, back) -> writer.replace(target, decode(target.kind(), body), options, back));
        return seen.isEmpty() ? request : request.instead(OptionalLong.of(Long.parseLong(seen)));
    }

    static Request patch(String what, ObjectKey key, String subresource, Patch.Language language, JsonNode patch) {
        byte[] body = bytes(patch);
        return on(what, Verb.PATCH, key, subresource, (writer, target, options, back) -> {
            Parsed parsed = parse(body);
            return writer.patch(target, new Patch(language, parsed.root(), parsed.duplicates()), options, back);
        });
    }

    static Request apply(String what, ObjectKey key, ObjectNode object, Force force) {
        byte[] body = bytes(object);
        return on(
                what,
                Verb.APPLY,
                key,
                "",
                (writer, target, options, back) ->
                        writer.apply(target, decode(target.kind(), body), force, options, back));
    }

    static Request delete(String what, ObjectKey key, ObjectNode deleteOptions) {
        return on(
                what,
                Verb.DELETE,
                key,
                "",
                (writer, target, options, back) ->
                        writer.delete(target, DeleteOptions.of(deleteOptions), options, back));
    }

    static Request delete(String what, ObjectKey key) {
        return delete(what, key, JsonNodeFactory.instance.objectNode());
    }

    static Request deleteAll(String what, String resource, Optional<String> namespace) {
        return of(
                what,
                Verb.DELETE_ALL,
                resource,
                namespace,
                Optional.empty(),
                "",
                (writer, target, options, back) ->
                        writer.deleteAll(target, Selection.everything(), DeleteOptions.DEFAULT, options, back));
    }

    private Request instead(OptionalLong seen) {
        return new Request(what, verb, resource, namespace, name, subresource, call, seen, hope, mode, validation);
    }

    Request hopeless() {
        return new Request(
                what, verb, resource, namespace, name, subresource, call, prior, Hope.NONE, mode, validation);
    }

    Request tried() {
        return new Request(
                what + ", dry run",
                verb,
                resource,
                namespace,
                name,
                subresource,
                call,
                prior,
                hope,
                Mode.DRY_RUN,
                validation);
    }

    Request strictly() {
        return new Request(
                what, verb, resource, namespace, name, subresource, call, prior, hope, mode, FieldValidation.STRICT);
    }

    boolean isDryRun() {
        return mode == Mode.DRY_RUN;
    }

    private static Decoded decode(Kind kind, byte[] body) {
        try {
            return kind.decoder().decode(body, BodyFormat.JSON, kind.rules()::normalize);
        } catch (BodyException e) {
            throw new StatusException(Status.badRequest(e.getMessage()));
        }
    }

    private static Parsed parse(byte[] body) {
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
