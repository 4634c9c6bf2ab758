package dev.mooring.api.rules.pod;

import java.util.Map;

/** Rules of a container's environment variables. Stateless. */
final class EnvironmentRules {
    private static final String ONE_OF = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`,"
            + " `secretKeyRef` or `fileKeyRef`";
    private static final String ONE_AT_A_TIME = "may not have more than one field specified at a time";

    private EnvironmentRules() {}

    static void check(FieldCursor container, Map<String, FieldCursor> volumes) {
        for (FieldCursor variable : container.each("env")) {
            FieldCursor name = variable.at("name");
            if (name.text().isEmpty()) {
                name.required();
            } else {
                NameValidation.environmentName(name);
            }
            if (variable.has("valueFrom")) {
                valueFrom(variable, volumes);
            }
        }
        for (FieldCursor source : container.each("envFrom")) {
            wholeObject(source, container.at("envFrom"));
        }
    }

    private static void valueFrom(FieldCursor variable, Map<String, FieldCursor> volumes) {
        FieldCursor from = variable.at("valueFrom");
        int sources = 0;
        if (from.has("fieldRef")) {
            sources++;
            FieldReferenceRules.ofVariable(from.at("fieldRef"));
        }
        if (from.has("resourceFieldRef")) {
            sources++;
            FieldReferenceRules.resourceOfVariable(from.at("resourceFieldRef"));
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

    /** Validates a variable from a file that an init container wrote to an emptyDir. */
    private static void keyInFile(FieldCursor reference, Map<String, FieldCursor> volumes) {
        FieldCursor key = reference.at("key");
        if (key.text().isEmpty()) {
            key.required();
        } else {
            NameValidation.environmentName(key);
        }
        FieldCursor name = reference.at("volumeName");
        if (name.text().isEmpty()) {
            name.required();
        } else {
            NameValidation.label(name);
        }
        FieldCursor path = reference.at("path");
        if (path.text().isEmpty()) {
            path.required();
        } else {
            PathRules.noBacksteps(path);
        }
        FieldCursor volume = volumes.get(name.text());
        if (volume == null) {
            name.notFound();
        } else if (!volume.has("emptyDir")) {
            name.invalid("referenced volume must be of type emptyDir");
        }
    }

    private static void keyOf(FieldCursor reference) {
        NameValidation.subdomain(reference.at("name"));
        FieldCursor key = reference.at("key");
        if (key.text().isEmpty()) {
            key.required();
        } else {
            NameValidation.configMapKey(key);
        }
    }

    private static void wholeObject(FieldCursor source, FieldCursor all) {
        FieldCursor prefix = source.at("prefix");
        if (!prefix.text().isEmpty()) {
            NameValidation.environmentName(prefix);
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

    private static void objectName(FieldCursor name) {
        if (name.text().isEmpty()) {
            name.required();
        } else {
            NameValidation.subdomain(name);
        }
    }
}
