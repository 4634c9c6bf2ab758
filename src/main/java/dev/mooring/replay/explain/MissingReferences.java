package dev.mooring.replay.explain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.replay.explain.Explanation.Finding;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds the ConfigMaps, Secrets and entries of them that a Pod needs and that do not exist. Pure. */
final class MissingReferences {
    private static final String CONFIG_MAPS = "configmaps";
    private static final String SECRETS = "secrets";

    private final Pod pod;
    private final ExplainContext context;
    private final Set<ObjectKey> reported = new LinkedHashSet<>();
    private final List<Finding> findings = new ArrayList<>();

    private MissingReferences(Pod pod, ExplainContext context) {
        this.pod = pod;
        this.context = context;
    }

    /** Returns a finding for each missing object or entry of a volume. */
    static List<Finding> ofVolume(Pod pod, JsonNode volume, ExplainContext context) {
        MissingReferences missing = new MissingReferences(pod, context);
        missing.checkSource(CONFIG_MAPS, volume.path("configMap"), "name");
        missing.checkSource(SECRETS, volume.path("secret"), "secretName");
        for (JsonNode source : volume.path("projected").path("sources")) {
            missing.checkSource(CONFIG_MAPS, source.path("configMap"), "name");
            missing.checkSource(SECRETS, source.path("secret"), "name");
        }
        return missing.findings;
    }

    /** Returns a finding for each missing object or entry of a container's environment. */
    static List<Finding> ofEnvironment(Pod pod, JsonNode container, ExplainContext context) {
        MissingReferences missing = new MissingReferences(pod, context);
        for (JsonNode each : container.path("env")) {
            JsonNode from = each.path("valueFrom");
            missing.check(CONFIG_MAPS, from.path("configMapKeyRef"), "name", key(from.path("configMapKeyRef")));
            missing.check(SECRETS, from.path("secretKeyRef"), "name", key(from.path("secretKeyRef")));
        }
        for (JsonNode each : container.path("envFrom")) {
            missing.check(CONFIG_MAPS, each.path("configMapRef"), "name", List.of());
            missing.check(SECRETS, each.path("secretRef"), "name", List.of());
        }
        return missing.findings;
    }

    /** Returns a finding for each missing Secret for registries. */
    static List<Finding> ofImagePull(Pod pod, ExplainContext context) {
        MissingReferences missing = new MissingReferences(pod, context);
        pod.spec().path("imagePullSecrets").forEach(each -> missing.check(SECRETS, each, "name", List.of()));
        return missing.findings;
    }

    private static List<String> key(JsonNode reference) {
        return reference.hasNonNull("key") ? List.of(reference.path("key").asText("")) : List.of();
    }

    private void checkSource(String resource, JsonNode source, String nameField) {
        List<String> entries = new ArrayList<>();
        source.path("items").forEach(item -> entries.addAll(key(item)));
        check(resource, source, nameField, entries);
    }

    private void check(String resource, JsonNode reference, String nameField, List<String> entries) {
        String name = reference.path(nameField).asText("");
        if (name.isEmpty() || reference.path("optional").asBoolean(false)) {
            return;
        }
        Optional<ObjectKey> key = ObjectKey.ifValid(resource + '/' + pod.namespace() + '/' + name);
        // Whether an object exists is hidden from a reader who may not read it.
        if (key.isEmpty() || reported.contains(key.get()) || !context.mayRead(key.get())) {
            return;
        }
        Optional<StoredObject> object = context.world().get(key.get());
        if (object.isEmpty()) {
            reported.add(key.get());
            findings.add(missingObject(key.get(), entries));
            return;
        }
        entries.stream()
                .filter(entry -> !object.get().tree().path("data").has(entry)
                        && !object.get().tree().path("binaryData").has(entry))
                .findFirst()
                .ifPresent(entry -> findings.add(missingEntry(object.get(), entry)));
    }

    private Finding missingObject(ObjectKey key, List<String> entries) {
        boolean secret = key.resource().equals(SECRETS);
        String entry = entries.isEmpty() ? "key" : entries.get(0);
        String command = "kubectl create " + (secret ? "secret generic " : "configmap ") + key.name() + " -n "
                + pod.namespace() + " --from-literal=" + Commands.quoted(entry + "=value");
        String kind = secret ? "Secret " : "ConfigMap ";
        Finding.Builder finding = Finding.failed(kind + pod.namespace() + '/' + key.name() + " does not exist.")
                .about(key)
                .reason("NotFound")
                .next("Create the " + kind + key.name() + ", with your own values.", command);
        context.deletionOf(key).ifPresent(deleted -> finding.because(deleted.finding()));
        return finding.build();
    }

    private static Finding missingEntry(StoredObject object, String entry) {
        boolean secret = object.key().resource().equals(SECRETS);
        String patch = "{\"" + (secret ? "stringData" : "data") + "\":{\"" + entry.replace("\"", "") + "\":\"value\"}}";
        return Finding.failed((secret ? "Secret " : "ConfigMap ")
                        + object.key().namespace().orElse("") + '/'
                        + object.key().name() + " has no entry \"" + entry + "\".")
                .about(object)
                .reason("NotFound")
                .next(
                        "Add the entry, with your own value.",
                        Commands.kubectl("patch", object.key(), "--type", "merge", "-p", Commands.quoted(patch)))
                .build();
    }
}
