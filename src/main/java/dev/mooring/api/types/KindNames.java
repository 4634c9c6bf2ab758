package dev.mooring.api.types;

import java.util.List;
import java.util.Locale;

/**
 * The names of a kind.
 *
 * @param group empty for the core group
 * @param plural as in paths: {@code persistentvolumeclaims}
 * @param shortNames abbreviations for kubectl: {@code pvc}
 * @param categories such as {@code all}, of {@code kubectl get all}
 * @param resource {@code storageclasses.storage.k8s.io}: the plural, followed by the group if there is one
 * @param apiVersion {@code storage.k8s.io/v1}
 */
public record KindNames(
        String group,
        String version,
        String kind,
        String plural,
        List<String> shortNames,
        List<String> categories,
        String resource,
        String apiVersion) {

    public static KindNames of(String group, String kind, String plural, List<String> shortNames) {
        return new KindNames(
                group,
                "v1",
                kind,
                plural,
                shortNames,
                List.of(),
                group.isEmpty() ? plural : plural + '.' + group,
                group.isEmpty() ? "v1" : group + "/v1");
    }

    public KindNames withCategories(List<String> named) {
        return new KindNames(group, version, kind, plural, shortNames, named, resource, apiVersion);
    }

    public String singular() {
        return kind.toLowerCase(Locale.ROOT);
    }
}
