package dev.mooring.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.Json;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Removes confidential content from objects that leave the machine. An allow-list: of an object of a resource that is
 * not named here, only the metadata without annotations remains. Pure.
 *
 * <ul>
 *   <li>Secrets keep their type and the names of their entries; tokens keep user, role and expiry.
 *   <li>ConfigMaps keep the names of their entries.
 *   <li>Pods and workloads keep all but literal values of environment variables and HTTP headers of probes and hooks.
 *   <li>No object keeps the annotation in which kubectl repeats its content, nor {@code managedFields}.
 * </ul>
 */
public final class Redaction {
    /** Replaces a removed text. */
    public static final String REDACTED = "<redacted>";

    /** {@link #REDACTED} in base64, as an entry of a Secret. */
    private static final String REDACTED_BASE64 = "PHJlZGFjdGVkPg==";

    private static final String METADATA = "metadata";
    private static final String ANNOTATIONS = "annotations";
    private static final String VALUE = "value";
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    /** Resources whose objects hold no credentials, apart from what {@link #redactValues} removes. */
    private static final Set<String> OPEN = Set.of(
            "controllerrevisions.apps",
            "cronjobs.batch",
            "daemonsets.apps",
            "deployments.apps",
            "endpointslices.discovery.k8s.io",
            "events",
            "jobs.batch",
            "leases.coordination.k8s.io",
            "namespaces",
            "nodes",
            "pods",
            "podtemplates",
            "priorityclasses.scheduling.k8s.io",
            "replicasets.apps",
            "replicationcontrollers",
            "resourcequotas",
            "runtimeclasses.node.k8s.io",
            "serviceaccounts",
            "services",
            "statefulsets.apps",
            StorageNames.ACTUAL_VOLUMES,
            StorageNames.ATTACHMENTS,
            StorageNames.CLAIMS,
            StorageNames.CLASSES,
            StorageNames.DESIRED_VOLUMES,
            StorageNames.OPERATIONS,
            StorageNames.VOLUMES);

    private static final List<String> IDENTITY = List.of("apiVersion", "kind");

    private static final List<String> METADATA_FIELDS = List.of(
            "name",
            "namespace",
            "uid",
            "resourceVersion",
            "generation",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "labels",
            "ownerReferences",
            "finalizers");

    private static final List<String> TOKEN_FIELDS = List.of("user", "role", "namespaces", "expires", "serviceAccount");

    /** User information in a URL. */
    private static final Pattern USER_INFO = Pattern.compile("(://)[^/@\\s]+@");

    /** Options such as {@code password=…} in mount tables and settings. */
    private static final Pattern CREDENTIAL =
            Pattern.compile("(?i)\\b((?:pass|passwd|password|secret|token)=)[^,\\s]+");

    private Redaction() {}

    /** Returns the event with redacted objects. */
    public static Event redact(Event event) {
        List<Change> changes = event.changes().stream()
                .map(each -> new Change(each.kind(), redact(each.object()), each.prior()))
                .toList();
        return new Event(event.revision(), event.time(), event.type(), event.actor(), event.cause(), changes);
    }

    public static StoredObject redact(StoredObject object) {
        ObjectNode whole = object.toTree();
        ObjectNode redacted = OPEN.contains(object.key().resource())
                ? redactOpen(whole)
                : redactOther(object.key().resource(), whole);
        try {
            return new StoredObject(object.key(), object.revision(), Json.MAPPER.writeValueAsBytes(redacted));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a text of the machine, such as settings or a mount table, without credentials in URLs and options. */
    public static String redact(String text) {
        return CREDENTIAL
                .matcher(USER_INFO.matcher(text).replaceAll("$1" + REDACTED + "@"))
                .replaceAll("$1" + REDACTED);
    }

    private static ObjectNode redactOpen(ObjectNode object) {
        if (object.path(METADATA) instanceof ObjectNode metadata) {
            metadata.remove("managedFields");
            if (metadata.path(ANNOTATIONS) instanceof ObjectNode annotations) {
                annotations.remove(LAST_APPLIED);
            }
        }
        redactValues(object);
        return object;
    }

    /** Removes literal values of environment variables and headers in Pods and in templates of Pods. */
    private static void redactValues(JsonNode node) {
        if (node instanceof ObjectNode object) {
            for (String field : List.of("env", "httpHeaders")) {
                for (JsonNode each : object.path(field)) {
                    if (each instanceof ObjectNode entry && entry.has(VALUE)) {
                        entry.put(VALUE, REDACTED);
                    }
                }
            }
        }
        node.forEach(Redaction::redactValues);
    }

    private static ObjectNode redactOther(String resource, ObjectNode whole) {
        ObjectNode redacted = JsonNodeFactory.instance.objectNode();
        copy(whole, redacted, IDENTITY);
        copy(whole.path(METADATA), redacted.putObject(METADATA), METADATA_FIELDS);
        switch (resource) {
            case "secrets" -> {
                copy(whole, redacted, List.of("type", "immutable"));
                copyNames(whole, redacted, "data", REDACTED_BASE64);
            }
            case "configmaps" -> {
                copy(whole, redacted, List.of("immutable"));
                copyNames(whole, redacted, "data", REDACTED);
                copyNames(whole, redacted, "binaryData", REDACTED_BASE64);
            }
            case "tokens.mooring.dev" -> copy(whole.path("spec"), redacted.putObject("spec"), TOKEN_FIELDS);
            default -> {
                // Metadata only.
            }
        }
        return redacted;
    }

    private static void copy(JsonNode from, ObjectNode to, List<String> fields) {
        for (String field : fields) {
            if (from.has(field)) {
                to.set(field, from.get(field));
            }
        }
    }

    private static void copyNames(ObjectNode from, ObjectNode to, String field, String value) {
        if (from.path(field) instanceof ObjectNode entries) {
            ObjectNode names = to.putObject(field);
            for (Map.Entry<String, JsonNode> each : entries.properties()) {
                names.put(each.getKey(), value);
            }
        }
    }
}
