package dev.mooring.api.rules.pod;

import static dev.mooring.api.rules.pod.VolumeSource.required;

import java.util.HashSet;
import java.util.Set;

/** Volumes whose files come from objects: ConfigMaps, Secrets, the Pod itself, and mixtures of these. Stateless. */
final class ProjectedSources {
    private static final long LEAST_EXPIRATION = 600;
    private static final long MOST_EXPIRATION = 1L << 32;
    private static final String CONFLICT = "conflicting duplicate paths";

    private ProjectedSources() {}

    static void secret(Spot secret) {
        required(secret, "secretName");
        Ranges.fileMode(secret.at("defaultMode"));
        secret.each("items").forEach(ProjectedSources::keyToPath);
    }

    static void configMap(Spot configMap) {
        required(configMap, "name");
        Ranges.fileMode(configMap.at("defaultMode"));
        configMap.each("items").forEach(ProjectedSources::keyToPath);
    }

    static void downwardApi(Spot downward) {
        Ranges.fileMode(downward.at("defaultMode"));
        for (Spot file : downward.each("items")) {
            downwardFile(file.reportedAt(downward));
        }
    }

    static void projected(Spot projected) {
        Ranges.fileMode(projected.at("defaultMode"));
        Set<String> paths = new HashSet<>();
        for (Spot source : projected.each("sources")) {
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

    private static void keyed(Spot source, Spot projected, Set<String> paths) {
        required(source, "name");
        for (Spot item : source.each("items")) {
            keyToPath(item);
            claim(item.text("path"), source.text("name"), projected, paths);
        }
    }

    private static void downwardFiles(Spot source, Spot projected, Set<String> paths) {
        for (Spot file : source.each("items")) {
            downwardFile(file.reportedAt(source));
            claim(file.text("path"), file.text("path"), projected, paths);
        }
    }

    private static void token(Spot token, Spot projected) {
        Spot expiration = token.at("expirationSeconds");
        if (expiration.number() < LEAST_EXPIRATION) {
            expiration.invalid("may not specify a duration less than 10 minutes");
        }
        if (expiration.number() > MOST_EXPIRATION) {
            expiration.invalid("may not specify a duration larger than 2^32 seconds");
        }
        Spot path = token.at("path").reportedAt(projected.at("path"));
        if (path.text().isEmpty()) {
            path.required();
        } else {
            Paths.descendingAndNotReserved(path);
        }
    }

    private static void trustBundle(Spot bundle, Spot projected, Set<String> paths) {
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
            Spelled.labelSelector(bundle.at("labelSelector"));
        } else {
            bundle.required("either name or signerName must be specified");
        }
        required(bundle, "path");
        Paths.descendingAndNotReserved(bundle.at("path"));
        claim(bundle.text("path"), bundle.text("path"), projected, paths);
    }

    private static void claim(String path, String shown, Spot projected, Set<String> paths) {
        if (!path.isEmpty() && !paths.add(path)) {
            projected.invalid(shown, CONFLICT);
        }
    }

    private static void keyToPath(Spot item) {
        required(item, "key");
        required(item, "path");
        Paths.descendingAndNotReserved(item.at("path"));
        Ranges.fileMode(item.at("mode"));
    }

    private static void downwardFile(Spot file) {
        required(file, "path");
        Paths.descendingAndNotReserved(file.at("path"));
        if (file.has("fieldRef")) {
            FieldReferences.ofFile(file.at("fieldRef"));
            if (file.has("resourceFieldRef")) {
                file.invalid("resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
            }
        } else if (file.has("resourceFieldRef")) {
            FieldReferences.resourceOfFile(file.at("resourceFieldRef"));
        } else {
            file.required("one of fieldRef and resourceFieldRef is required");
        }
        Ranges.fileMode(file.at("mode"));
    }
}
