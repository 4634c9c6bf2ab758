package dev.mooring.api.rules.pod;

import java.util.Map;

/** The environment variables of a container. Stateless. */
final class Environment {
    private static final String ONE_OF = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`,"
            + " `secretKeyRef` or `fileKeyRef`";
    private static final String ONE_AT_A_TIME = "may not have more than one field specified at a time";

    private Environment() {}

    static void check(Spot container, Map<String, Spot> volumes) {
        for (Spot variable : container.each("env")) {
            Spot name = variable.at("name");
            if (name.text().isEmpty()) {
                name.required();
            } else {
                Spelled.environmentName(name);
            }
            if (variable.has("valueFrom")) {
                valueFrom(variable, volumes);
            }
        }
        for (Spot source : container.each("envFrom")) {
            wholeObject(source, container.at("envFrom"));
        }
    }

    private static void valueFrom(Spot variable, Map<String, Spot> volumes) {
        Spot from = variable.at("valueFrom");
        int sources = 0;
        if (from.has("fieldRef")) {
            sources++;
            FieldReferences.ofVariable(from.at("fieldRef"));
        }
        if (from.has("resourceFieldRef")) {
            sources++;
            FieldReferences.resourceOfVariable(from.at("resourceFieldRef"));
        }
        if (from.has("configMapKeyRef")) {
            sources++;
            keyOf(from.at("configMapKeyRef"));
        }
        if (from.has("secretKeyRef")) {
            sources++;
            keyOf(from.at("secretKeyRef"));
        }
        if (from.has("fileKeyRef")) {
            sources++;
            keyInFile(from.at("fileKeyRef"), volumes);
        }
        if (sources == 0) {
            from.invalid("", ONE_OF);
        } else if (!variable.text("value").isEmpty()) {
            from.invalid("", "may not be specified when `value` is not empty");
        } else if (sources > 1) {
            from.invalid("", ONE_AT_A_TIME);
        }
    }

    /** A variable in a file that an init container left in an empty directory. */
    private static void keyInFile(Spot reference, Map<String, Spot> volumes) {
        Spot key = reference.at("key");
        if (key.text().isEmpty()) {
            key.required();
        } else {
            Spelled.environmentName(key);
        }
        Spot name = reference.at("volumeName");
        if (name.text().isEmpty()) {
            name.required();
        } else {
            Spelled.label(name);
        }
        Spot path = reference.at("path");
        if (path.text().isEmpty()) {
            path.required();
        } else {
            Paths.noBacksteps(path);
        }
        Spot volume = volumes.get(name.text());
        if (volume == null) {
            name.notFound();
        } else if (!volume.has("emptyDir")) {
            name.invalid("referenced volume must be of type emptyDir");
        }
    }

    private static void keyOf(Spot reference) {
        Spelled.subdomain(reference.at("name"));
        Spot key = reference.at("key");
        if (key.text().isEmpty()) {
            key.required();
        } else {
            Spelled.configMapKey(key);
        }
    }

    private static void wholeObject(Spot source, Spot all) {
        Spot prefix = source.at("prefix");
        if (!prefix.text().isEmpty()) {
            Spelled.environmentName(prefix);
        }
        int sources = 0;
        for (String kind : new String[] {"configMapRef", "secretRef"}) {
            if (source.has(kind)) {
                sources++;
                objectName(source.at(kind).at("name"));
            }
        }
        if (sources == 0) {
            all.invalid("", "must specify one of: `configMapRef` or `secretRef`");
        } else if (sources > 1) {
            all.invalid("", ONE_AT_A_TIME);
        }
    }

    private static void objectName(Spot name) {
        if (name.text().isEmpty()) {
            name.required();
        } else {
            Spelled.subdomain(name);
        }
    }
}
