package dev.mooring.model.view;

import java.util.Map;
import java.util.Optional;

/**
 * The values of the variables of a {@link PathPattern}, for one volume. Untrusted: the creator of the claim chooses
 * most of them.
 *
 * @param volume name of the PersistentVolume
 * @param namespace of the claim
 * @param claim its name
 * @param uid of the claim
 */
public record PathValues(
        String volume,
        String namespace,
        String claim,
        String uid,
        Map<String, String> labels,
        Map<String, String> annotations) {

    /** Returns the value of a variable; empty if the claim has no such label or annotation. */
    Optional<String> of(PathVariable variable) {
        return switch (variable.kind()) {
            case VOLUME -> Optional.of(volume);
            case NAMESPACE -> Optional.of(namespace);
            case CLAIM -> Optional.of(claim);
            case UID -> Optional.of(uid);
            case LABEL -> Optional.ofNullable(labels.get(variable.key()));
            case ANNOTATION -> Optional.ofNullable(annotations.get(variable.key()));
        };
    }
}
