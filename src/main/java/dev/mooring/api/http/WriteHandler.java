package dev.mooring.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.patch.FieldManager;
import dev.mooring.api.patch.Manager;
import dev.mooring.api.resource.DeleteOptions;
import dev.mooring.api.resource.Patch;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.resource.ResourceWriter;
import dev.mooring.api.resource.WriteOptions;
import dev.mooring.api.resource.WriteOptions.FieldValidation;
import dev.mooring.api.resource.WriteOptions.Mode;
import dev.mooring.api.resource.WriteResponse;
import dev.mooring.api.rules.ManagerRules;
import dev.mooring.api.rules.Violations;
import dev.mooring.api.types.KindDecoder;
import dev.mooring.api.types.ParsedBody;
import io.vertx.core.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Handles requests that change objects, after their bodies were read. */
final class WriteHandler {
    private static final int REQUEST_ID_MAX = 64;

    private final ResourceWriter writer;

    WriteHandler(ResourceWriter writer) {
        this.writer = writer;
    }

    /** @param check refuses names that this user may not create */
    void create(ApiRequest request, ResourceRef target, byte[] body, Consumer<String> check) {
        KindDecoder.DecodedBody object = object(request, target, body);
        String name = object.object().path("metadata").path("name").asText("");
        request.audit().setName(name);
        check.accept(name);
        finish(request, writer.create(target, object, options(request), request.contextExecutor()));
    }

    void replace(ApiRequest request, ResourceRef target, byte[] body) {
        KindDecoder.DecodedBody object = object(request, target, body);
        finish(request, writer.replace(target, object, options(request), request.contextExecutor()));
    }

    void patch(ApiRequest request, ResourceRef target, byte[] body) {
        WriteOptions options = options(request);
        String media = RequestBodyDecoder.mediaType(contentType(request));
        switch (media) {
            case "application/strategic-merge-patch+json" ->
                patch(request, target, Patch.PatchFormat.STRATEGIC, body, options);
            case "application/merge-patch+json" -> patch(request, target, Patch.PatchFormat.MERGE, body, options);
            case "application/json-patch+json" -> patch(request, target, Patch.PatchFormat.JSON, body, options);
            case "application/apply-patch+yaml" -> apply(request, target, body, options);
            default ->
                throw new StatusException(Status.unsupportedMediaType(
                        "the body of the request was in an unknown format - accepted media types include:"
                                + " application/json-patch+json, application/merge-patch+json,"
                                + " application/apply-patch+yaml, application/strategic-merge-patch+json"));
        }
    }

    private void patch(
            ApiRequest request, ResourceRef target, Patch.PatchFormat language, byte[] body, WriteOptions options) {
        ParsedBody parsed = RequestBodyDecoder.parse(body, KindDecoder.BodyFormat.JSON);
        Patch patch = new Patch(language, parsed.root(), parsed.duplicates());
        finish(request, writer.patch(target, patch, options, request.contextExecutor()));
    }

    private void apply(ApiRequest request, ResourceRef target, byte[] body, WriteOptions options) {
        if (request.query().text("fieldManager").isEmpty()) {
            throw new StatusException(new Status(
                    422,
                    "Invalid",
                    "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply"
                            + " patch"));
        }
        if (target.isScale()) {
            throw new StatusException(Status.unsupportedMediaType("server-side apply of the subresource scale is not"
                    + " supported: apply spec.replicas of the object, or send a merge patch"));
        }
        KindDecoder.DecodedBody object = RequestBodyDecoder.decodeApplied(target.kind(), body);
        FieldManager.Force force = request.query().flag("force") ? FieldManager.Force.YES : FieldManager.Force.NO;
        finish(request, writer.apply(target, object, force, options, request.contextExecutor()));
    }

    /** Decodes the object. Minik8s clients send YAML with the content type of JSON. */
    private static KindDecoder.DecodedBody object(ApiRequest request, ResourceRef target, byte[] body) {
        String contentType = contentType(request);
        boolean yaml = target.name().isPresent()
                && RequestBodyDecoder.mediaType(contentType).equals(ApiRequest.JSON)
                && !RequestBodyDecoder.looksLikeJson(body);
        return RequestBodyDecoder.decodeObject(target.bodyKind(), yaml ? RequestBodyDecoder.YAML : contentType, body);
    }

    void delete(ApiRequest request, ResourceRef target, byte[] body) {
        ObjectNode options = deleteBody(request, body);
        finish(
                request,
                writer.delete(
                        target, DeleteOptions.of(options), deleteOptions(request, options), request.contextExecutor()));
    }

    void deleteAll(ApiRequest request, ResourceRef target, byte[] body) {
        ObjectNode options = deleteBody(request, body);
        finish(
                request,
                writer.deleteAll(
                        target,
                        SelectionParser.parse(request.query(), target),
                        DeleteOptions.of(options),
                        deleteOptions(request, options),
                        request.contextExecutor()));
    }

    /** Handles an Eviction, which deletes the Pod; there are no disruption budgets, so it is always granted. */
    void evict(ApiRequest request, ResourceRef target, byte[] body) {
        ObjectNode eviction = RequestBodyDecoder.decodeUntyped(contentType(request), body);
        ObjectNode options = eviction.path("deleteOptions") instanceof ObjectNode found ? found : eviction.objectNode();
        ResourceRef pod = new ResourceRef(target.kind(), target.namespace(), target.name(), "");
        CompletionStage<WriteResponse> evicted = writer.delete(
                        pod, DeleteOptions.of(options), deleteOptions(request, options), request.contextExecutor())
                .thenApply(answer -> new WriteResponse(201, new Status(201, "", "").toJson(), List.of()));
        finish(request, evicted);
    }

    /** Returns the delete options, which may also be in the query. */
    private static ObjectNode deleteBody(ApiRequest request, byte[] body) {
        ObjectNode options = RequestBodyDecoder.decodeUntyped(contentType(request), body);
        QueryParameters query = request.query();
        query.number("gracePeriodSeconds").ifPresent(seconds -> options.put("gracePeriodSeconds", seconds));
        query.optionalFlag("orphanDependents").ifPresent(orphan -> options.put("orphanDependents", orphan));
        if (!query.text("propagationPolicy").isEmpty()) {
            options.put("propagationPolicy", query.text("propagationPolicy"));
        }
        return options;
    }

    private static WriteOptions deleteOptions(ApiRequest request, ObjectNode body) {
        WriteOptions options = options(request);
        boolean dry = options.isDryRun() || mode(texts(body.path("dryRun"))) == Mode.DRY_RUN;
        if (dry) {
            request.audit().markDryRun();
        }
        return new WriteOptions(
                options.user(),
                options.manager(),
                options.request(),
                dry ? Mode.DRY_RUN : Mode.COMMIT,
                options.validation());
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    static WriteOptions options(ApiRequest request) {
        QueryParameters query = request.query();
        String requestId = requestId(request);
        Mode mode = mode(query.all("dryRun"));
        request.audit().setRequestId(requestId);
        if (mode == Mode.DRY_RUN) {
            request.audit().markDryRun();
        }
        return new WriteOptions(
                request.user(), manager(request), requestId, mode, validation(query.text("fieldValidation")));
    }

    private static Mode mode(List<String> dryRun) {
        for (String each : dryRun) {
            if (!each.equals("All")) {
                throw new StatusException(new Status(
                        422, "Invalid", "dryRun: Unsupported value: \"" + each + "\": supported values: \"All\""));
            }
        }
        return dryRun.isEmpty() ? Mode.COMMIT : Mode.DRY_RUN;
    }

    /** Returns the field validation; the default is Warn, as in Kubernetes. */
    private static FieldValidation validation(String text) {
        return switch (text) {
            case "", "Warn" -> FieldValidation.WARN;
            case "Ignore" -> FieldValidation.IGNORE;
            case "Strict" -> FieldValidation.STRICT;
            default ->
                throw new StatusException(new Status(
                        422,
                        "Invalid",
                        "fieldValidation: Unsupported value: \"" + text
                                + "\": supported values: \"Ignore\", \"Strict\", \"Warn\""));
        };
    }

    /** Returns the field manager: the parameter, or the program at the start of the User-Agent. */
    private static String manager(ApiRequest request) {
        String given = request.query().text("fieldManager");
        Violations violations = new Violations();
        ManagerRules.name(given, "fieldManager", violations);
        if (!violations.isEmpty()) {
            throw new StatusException(new Status(422, "Invalid", violations.text()));
        }
        return Manager.nameOf(Optional.of(given), request.header(HttpHeaders.USER_AGENT));
    }

    /**
     * Returns the request id for the event log: the client's own id, or the kubectl command and session headers, which
     * link the requests of one command.
     */
    private static String requestId(ApiRequest request) {
        String id = request.header("X-Request-Id");
        if (id.isEmpty()) {
            String session = request.header("Kubectl-Session");
            id = (request.header("Kubectl-Command") + ' ' + session.substring(0, Math.min(session.length(), 8))).trim();
        }
        boolean printable = id.chars().allMatch(c -> c > 0x1f && c < 0x7f);
        return printable ? id.substring(0, Math.min(id.length(), REQUEST_ID_MAX)) : "";
    }

    private static String contentType(ApiRequest request) {
        return request.header(HttpHeaders.CONTENT_TYPE);
    }

    private static void finish(ApiRequest request, CompletionStage<WriteResponse> answer) {
        answer.whenComplete((done, failure) -> {
            if (failure == null) {
                request.respond(done);
            } else {
                request.fail(failure);
            }
        });
    }
}
