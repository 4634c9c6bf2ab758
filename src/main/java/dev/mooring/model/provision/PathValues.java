package dev.mooring.model.provision;

import java.util.Map;
import java.util.Optional;

/**
 * What the variables of a {@link PathPattern} stand for, for one volume. Nothing in it is trusted: who may create a claim chooses most of it.
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

    /** Nothing if the claim has no such label or annotation. */
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
