package dev.mooring.runtime;

import java.util.List;

/**
 * An image that an engine has.
 *
 * @param id such as sha256:…
 * @param digests references by which registries know it, such as busybox@sha256:…
 * @param user whom it runs as unless told otherwise; "" for root
 */
public record ImageFacts(String id, List<String> digests, long bytes, String user) {
    public ImageFacts {
        digests = List.copyOf(digests);
    }
}
