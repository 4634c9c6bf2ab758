package dev.mooring.replay.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Builds commands that a user can paste into a shell. */
final class Commands {
    private static final Map<String, String> SHORT_TYPES = Map.of(
            StorageNames.CLAIMS,
            "pvc",
            StorageNames.VOLUMES,
            "pv",
            StorageNames.CLASSES,
            "sc",
            StorageNames.OPERATIONS,
            "vop",
            StorageNames.ACTUAL_VOLUMES,
            "av",
            StorageNames.DESIRED_VOLUMES,
            "dv",
            "pods",
            "pod",
            "nodes",
            "node",
            "namespaces",
            "namespace");

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=@%+,-]+");

    private Commands() {}

    /** {@code kubectl delete pvc/data -n shop}, with arguments after it. */
    static String kubectl(String verb, ObjectKey key, String... arguments) {
        return command("kubectl " + verb, key, arguments);
    }

    /** {@code mooring history pvc/data -n shop}, with arguments after it. */
    static String mooring(String verb, ObjectKey key, String... arguments) {
        return command("mooring " + verb, key, arguments);
    }

    private static String command(String start, ObjectKey key, String... arguments) {
        String type = SHORT_TYPES.getOrDefault(key.resource(), key.resource());
        String target = start + ' ' + type + '/' + key.name();
        String namespaced =
                key.namespace().map(namespace -> target + " -n " + namespace).orElse(target);
        return arguments.length == 0 ? namespaced : namespaced + ' ' + String.join(" ", arguments);
    }

    /** {@code kubectl patch pvc/data -n shop --type=merge -p '{…}'}. */
    static String patch(ObjectKey key, JsonNode patch) {
        return kubectl("patch", key, "--type=merge", "-p", quoted(patch.toString()));
    }

    /** {@code echo '{…}' | kubectl create -f -}. */
    static String create(ObjectNode object) {
        return "echo " + quoted(object.toString()) + " | kubectl create -f -";
    }

    /**
     * Returns an object that creates another one again: its kind, name, labels and everything but status. The caller
     * may modify it.
     */
    static ObjectNode template(StoredObject object) {
        ObjectNode template = object.toTree();
        ObjectNode metadata = JsonNodeFactory.instance.objectNode();
        for (String field : List.of("name", "namespace", "labels")) {
            if (template.path("metadata").hasNonNull(field)) {
                metadata.set(field, template.path("metadata").get(field));
            }
        }
        template.set("metadata", metadata);
        template.remove("status");
        return template;
    }

    /** Returns a command whose arguments a shell does not change, whatever users have written into them. */
    static String quoted(List<String> arguments) {
        return arguments.stream().map(Commands::quoted).collect(Collectors.joining(" "));
    }

    /** Quotes a text for a POSIX shell, if it needs quotes. */
    static String quoted(String argument) {
        return PLAIN.matcher(argument).matches() ? argument : '\'' + argument.replace("'", "'\\''") + '\'';
    }
}
