package dev.mooring.api.kind;

import java.util.List;
import java.util.Locale;

/**
 * What a kind is called.
 *
 * @param group empty for the core group
 * @param plural as in paths: {@code persistentvolumeclaims}
 * @param shortNames for those who type: {@code pvc}
 * @param categories such as {@code all}, of {@code kubectl get all}
 * @param resource {@code storageclasses.storage.k8s.io}: the plural, with the group behind it if there is one
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

    public KindNames in(List<String> named) {
        return new KindNames(group, version, kind, plural, shortNames, named, resource, apiVersion);
    }

    public String singular() {
        return kind.toLowerCase(Locale.ROOT);
    }
}
