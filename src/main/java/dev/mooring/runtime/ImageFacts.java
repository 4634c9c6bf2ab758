package dev.mooring.runtime;

import java.util.List;

/**
 * An image in an engine.
 *
 * @param id such as sha256:…
 * @param digests registry references, such as busybox@sha256:…
 * @param layers digests of the uncompressed layers, the lowest first
 * @param entrypoint default command
 * @param user default user; "" for root
 */
public record ImageFacts(
        String id, List<String> digests, List<String> layers, List<String> entrypoint, long bytes, String user) {
    public ImageFacts {
        digests = List.copyOf(digests);
        layers = List.copyOf(layers);
        entrypoint = List.copyOf(entrypoint);
    }
}
