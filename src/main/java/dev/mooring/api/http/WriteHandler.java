package dev.mooring.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.apply.Force;
import dev.mooring.api.apply.Manager;
import dev.mooring.api.decode.BodyFormat;
import dev.mooring.api.decode.Decoded;
import dev.mooring.api.decode.Parsed;
import dev.mooring.api.kind.Violations;
import dev.mooring.api.resource.Answer;
import dev.mooring.api.resource.DeleteOptions;
import dev.mooring.api.resource.Patch;
import dev.mooring.api.resource.Target;
import dev.mooring.api.resource.WriteOptions;
import dev.mooring.api.resource.WriteOptions.FieldValidation;
import dev.mooring.api.resource.WriteOptions.Mode;
import dev.mooring.api.resource.Writer;
import dev.mooring.api.rules.ManagerRules;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import io.vertx.core.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Requests that change objects, once their bodies are there. */
final class WriteHandler {
    private static final int REQUEST_ID_MAX = 64;

    private final Writer writer;

    WriteHandler(Writer writer) {
        this.writer = writer;
    }

    /** @param check refuses names that this user may not create */
    void create(Exchange exchange, Target target, byte[] body, Consumer<String> check) {
        Decoded object = Bodies.object(target.kind(), contentType(exchange), body);
        check.accept(object.object().path("metadata").path("name").asText(""));
        finish(exchange, writer.create(target, object, options(exchange), exchange.back()));
    }

    void replace(Exchange exchange, Target target, byte[] body) {
        Decoded object = Bodies.object(target.kind(), contentType(exchange), body);
        finish(exchange, writer.replace(target, object, options(exchange), exchange.back()));
    }

    void patch(Exchange exchange, Target target, byte[] body) {
        WriteOptions options = options(exchange);
        String media = Bodies.media(contentType(exchange));
        switch (media) {
            case "application/strategic-merge-patch+json" ->
                patch(exchange, target, Patch.Language.STRATEGIC, body, options);
            case "application/merge-patch+json" -> patch(exchange, target, Patch.Language.MERGE, body, options);
            case "application/json-patch+json" -> patch(exchange, target, Patch.Language.JSON, body, options);
            case "application/apply-patch+yaml" -> apply(exchange, target, body, options);
            default ->
                throw new StatusException(Status.unsupportedMediaType(
                        "the body of the request was in an unknown format - accepted media types include:"
                                + " application/json-patch+json, application/merge-patch+json,"
                                + " application/apply-patch+yaml, application/strategic-merge-patch+json"));
        }
    }

    private void patch(Exchange exchange, Target target, Patch.Language language, byte[] body, WriteOptions options) {
        Parsed parsed = Bodies.parse(body, BodyFormat.JSON);
        Patch patch = new Patch(language, parsed.root(), parsed.duplicates());
        finish(exchange, writer.patch(target, patch, options, exchange.back()));
    }

    private void apply(Exchange exchange, Target target, byte[] body, WriteOptions options) {
        if (exchange.query().text("fieldManager").isEmpty()) {
            throw new StatusException(new Status(
                    422,
                    "Invalid",
                    "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply"
                            + " patch"));
        }
        // JSON is YAML, but reading it as JSON is many times faster, and most clients send it.
        String media = looksLikeJson(body) ? Exchange.JSON : Bodies.YAML;
        Decoded object = Bodies.object(target.kind(), media, body);
        Force force = exchange.query().flag("force") ? Force.YES : Force.NO;
        finish(exchange, writer.apply(target, object, force, options, exchange.back()));
    }

    private static boolean looksLikeJson(byte[] body) {
        for (byte each : body) {
            if (each > ' ') {
                return each == '{';
            }
        }
        return false;
    }

    void delete(Exchange exchange, Target target, byte[] body) {
        ObjectNode options = deleteBody(exchange, body);
        finish(
                exchange,
                writer.delete(target, DeleteOptions.of(options), deleteOptions(exchange, options), exchange.back()));
    }

    void deleteAll(Exchange exchange, Target target, byte[] body) {
        ObjectNode options = deleteBody(exchange, body);
        finish(
                exchange,
                writer.deleteAll(
                        target,
                        Selections.of(exchange.query(), target),
                        DeleteOptions.of(options),
                        deleteOptions(exchange, options),
                        exchange.back()));
    }

    /** An Eviction is a polite way to delete a Pod; with no disruption budgets here, it is always granted. */
    void evict(Exchange exchange, Target target, byte[] body) {
        ObjectNode eviction = Bodies.loose(contentType(exchange), body);
        ObjectNode options = eviction.path("deleteOptions") instanceof ObjectNode found ? found : eviction.objectNode();
        Target pod = new Target(target.kind(), target.namespace(), target.name(), "");
        CompletionStage<Answer> evicted = writer.delete(
                        pod, DeleteOptions.of(options), deleteOptions(exchange, options), exchange.back())
                .thenApply(answer -> new Answer(201, new Status(201, "", "").toJson(), List.of()));
        finish(exchange, evicted);
    }

    /** The same options may stand in the query. */
    private static ObjectNode deleteBody(Exchange exchange, byte[] body) {
        ObjectNode options = Bodies.loose(contentType(exchange), body);
        Query query = exchange.query();
        query.number("gracePeriodSeconds").ifPresent(seconds -> options.put("gracePeriodSeconds", seconds));
        query.optionalFlag("orphanDependents").ifPresent(orphan -> options.put("orphanDependents", orphan));
        if (!query.text("propagationPolicy").isEmpty()) {
            options.put("propagationPolicy", query.text("propagationPolicy"));
        }
        return options;
    }

    private static WriteOptions deleteOptions(Exchange exchange, ObjectNode body) {
        WriteOptions options = options(exchange);
        boolean dry = options.isDryRun() || mode(texts(body.path("dryRun"))) == Mode.DRY_RUN;
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

    static WriteOptions options(Exchange exchange) {
        Query query = exchange.query();
        return new WriteOptions(
                exchange.user(),
                manager(exchange),
                requestId(exchange),
                mode(query.all("dryRun")),
                validation(query.text("fieldValidation")));
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

    /** Kubernetes warns unless told otherwise. */
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

    /** Who says nothing is known by the program that asks: what its User-Agent begins with. */
    private static String manager(Exchange exchange) {
        String given = exchange.query().text("fieldManager");
        Violations violations = new Violations();
        ManagerRules.name(given, "fieldManager", violations);
        if (!violations.isEmpty()) {
            throw new StatusException(new Status(422, "Invalid", violations.text()));
        }
        return Manager.nameOf(Optional.of(given), exchange.header(HttpHeaders.USER_AGENT));
    }

    /**
     * What the log says of the request that led to an event: the client's own id if it gives one, else the kubectl command and the session
     * it belongs to, which joins the requests of one command.
     */
    private static String requestId(Exchange exchange) {
        String id = exchange.header("X-Request-Id");
        if (id.isEmpty()) {
            String session = exchange.header("Kubectl-Session");
            id = (exchange.header("Kubectl-Command") + ' ' + session.substring(0, Math.min(session.length(), 8)))
                    .trim();
        }
        boolean printable = id.chars().allMatch(c -> c > 0x1f && c < 0x7f);
        return printable ? id.substring(0, Math.min(id.length(), REQUEST_ID_MAX)) : "";
    }

    private static String contentType(Exchange exchange) {
        return exchange.header(HttpHeaders.CONTENT_TYPE);
    }

    private static void finish(Exchange exchange, CompletionStage<Answer> answer) {
        answer.whenComplete((done, failure) -> {
            if (failure == null) {
                exchange.answer(done);
            } else {
                exchange.fail(failure);
            }
        });
    }
}
