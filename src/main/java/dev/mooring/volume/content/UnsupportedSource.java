package dev.mooring.volume.content;

import dev.mooring.model.ObjectKey;
import dev.mooring.volume.VolumeException;
import java.util.Map;
import java.util.Set;

/**
 * A source of a projected volume that Mooring cannot fill: a token that ends with the Pod, published certificates, a certificate for the
 * Pod. A file that only looks like one would be worse than none.
 */
record UnsupportedSource(String field) implements ContentSource {
    @Override
    public Set<ObjectKey> madeOf(String namespace) {
        return Set.of();
    }

    @Override
    public void describe(Surroundings surroundings, ContentVersion version) {
        version.add(field);
    }

    @Override
    public void collect(Surroundings surroundings, Map<String, ContentFile> files) throws VolumeException {
        String instead = field.equals("serviceAccountToken")
                ? "put a token made with \"kubectl create token\" into a Secret and project that one"
                : "put the files into a ConfigMap or Secret and project that one";
        throw VolumeException.clean(
                "Unsupported", "projected volume source " + field + " is not supported by Mooring: " + instead);
    }
}
