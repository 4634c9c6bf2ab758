package dev.mooring.volume.content;

import dev.mooring.volume.VolumeException;
import java.util.Map;

/**
 * A source of a projected volume that Mooring does not support: clusterTrustBundle, podCertificate. Setting it up fails, because a fake file would be worse than an error.
 */
record UnsupportedSource(String field) implements ContentSource {
    @Override
    public void describe(ContentContext context, ContentVersion version) {
        version.add(field);
    }

    @Override
    public void collect(ContentContext context, Map<String, ContentFile> files) throws VolumeException {
        throw VolumeException.clean(
                "Unsupported",
                "projected volume source " + field + " is not supported by Mooring: put the files into a ConfigMap"
                        + " or Secret and project that one");
    }
}
