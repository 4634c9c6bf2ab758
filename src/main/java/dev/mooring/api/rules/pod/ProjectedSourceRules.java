package dev.mooring.api.rules.pod;

import static dev.mooring.api.rules.pod.PodVolumeSourceRule.required;

import java.util.HashSet;
import java.util.Set;

/**
 * Rules of volumes whose files come from objects: ConfigMaps, Secrets, the downward API and projected volumes.
 * Stateless.
 */
final class ProjectedSourceRules {
    private static final long MIN_EXPIRATION = 600;
    private static final long MAX_EXPIRATION = 1L << 32;
    private static final String CONFLICT = "conflicting duplicate paths";

    private ProjectedSourceRules() {}

    static void secret(FieldCursor secret) {
        required(secret, "secretName");
        NumberRules.fileMode(secret.at("defaultMode"));
        secret.each("items").forEach(ProjectedSourceRules::keyToPath);
    }

    static void configMap(FieldCursor configMap) {
        required(configMap, "name");
        NumberRules.fileMode(configMap.at("defaultMode"));
        configMap.each("items").forEach(ProjectedSourceRules::keyToPath);
    }

    static void downwardApi(FieldCursor downward) {
        NumberRules.fileMode(downward.at("defaultMode"));
        for (FieldCursor file : downward.each("items")) {
            downwardFile(file.reportedAt(downward));
        }
    }

    static void projected(FieldCursor projected) {
        NumberRules.fileMode(projected.at("defaultMode"));
        Set<String> paths = new HashSet<>();
        for (FieldCursor source : projected.each("sources")) {
            int kinds = 0;
            for (String kind : new String[] {"secret", "configMap"}) {
                if (source.has(kind)) {
                    kinds++;
                    keyed(source.at(kind), projected, paths);
                }
            }
            if (source.has("downwardAPI")) {
                kinds++;
                downwardFiles(source.at("downwardAPI"), projected, paths);
            }
            if (source.has("serviceAccountToken")) {
                kinds++;
                token(source.at("serviceAccountToken"), projected);
            }
            if (source.has("clusterTrustBundle")) {
                kinds++;
                trustBundle(source.at("clusterTrustBundle"), projected, paths);
            }
            if (kinds > 1) {
                source.forbidden("may not specify more than 1 volume type per source");
            }
        }
    }

    private static void keyed(FieldCursor source, FieldCursor projected, Set<String> paths) {
        required(source, "name");
        for (FieldCursor item : source.each("items")) {
            keyToPath(item);
            claim(item.text("path"), source.text("name"), projected, paths);
        }
    }

    private static void downwardFiles(FieldCursor source, FieldCursor projected, Set<String> paths) {
        for (FieldCursor file : source.each("items")) {
            downwardFile(file.reportedAt(source));
            claim(file.text("path"), file.text("path"), projected, paths);
        }
    }

    private static void token(FieldCursor token, FieldCursor projected) {
        FieldCursor expiration = token.at("expirationSeconds");
        if (expiration.number() < MIN_EXPIRATION) {
            expiration.invalid("may not specify a duration less than 10 minutes");
        }
        if (expiration.number() > MAX_EXPIRATION) {
            expiration.invalid("may not specify a duration larger than 2^32 seconds");
        }
        FieldCursor path = token.at("path").reportedAt(projected.at("path"));
        if (path.text().isEmpty()) {
            path.required();
        } else {
            PathRules.relativeAndNotReserved(path);
        }
    }

    private static void trustBundle(FieldCursor bundle, FieldCursor projected, Set<String> paths) {
        boolean named = bundle.has("name");
        boolean signed = bundle.has("signerName");
        if (named && signed) {
            bundle.invalid("only one of name and signerName may be used");
        } else if (named) {
            if (bundle.text("name").isEmpty()) {
                bundle.at("name").required("must be a valid object name");
            }
            if (bundle.has("labelSelector")) {
                bundle.at("labelSelector").invalid("labelSelector must be unset if name is specified");
            }
        } else if (signed) {
            if (bundle.text("signerName").isEmpty()) {
                bundle.at("signerName").required("must be a valid signer name");
            }
            NameValidation.labelSelector(bundle.at("labelSelector"));
        } else {
            bundle.required("either name or signerName must be specified");
        }
        required(bundle, "path");
        PathRules.relativeAndNotReserved(bundle.at("path"));
        claim(bundle.text("path"), bundle.text("path"), projected, paths);
    }

    private static void claim(String path, String shown, FieldCursor projected, Set<String> paths) {
        if (!path.isEmpty() && !paths.add(path)) {
            projected.invalid(shown, CONFLICT);
        }
    }

    private static void keyToPath(FieldCursor item) {
        required(item, "key");
        required(item, "path");
        PathRules.relativeAndNotReserved(item.at("path"));
        NumberRules.fileMode(item.at("mode"));
    }

    private static void downwardFile(FieldCursor file) {
        required(file, "path");
        PathRules.relativeAndNotReserved(file.at("path"));
        if (file.has("fieldRef")) {
            FieldReferenceRules.ofFile(file.at("fieldRef"));
            if (file.has("resourceFieldRef")) {
                file.invalid("resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
            }
        } else if (file.has("resourceFieldRef")) {
            FieldReferenceRules.resourceOfFile(file.at("resourceFieldRef"));
        } else {
            file.required("one of fieldRef and resourceFieldRef is required");
        }
        NumberRules.fileMode(file.at("mode"));
    }
}
