package dev.mooring.volume;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Issues tokens of the service accounts of Pods. Thread-safe; must not block. */
public interface PodTokens {
    /** Refuses every request, for plugins without access to an API server. */
    PodTokens NONE = (pod, audience, seconds) -> {
        throw VolumeException.clean("Unsupported", "tokens of service accounts are not available here");
    };

    /**
     * Returns a token that is valid while the Pod and its service account exist.
     *
     * @param audience "" for the API itself
     * @throws VolumeException if the Pod or the service account does not exist
     */
    String issue(ObjectNode pod, String audience, long seconds) throws VolumeException;
}
