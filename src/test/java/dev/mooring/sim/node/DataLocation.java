package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.RemoteServers;
import java.util.Optional;

/** Identity of the place where data is stored; equal for different names of the same place. */
record DataLocation(String text) {
    static DataLocation nfs(String server, String path) {
        return new DataLocation("nfs " + RemoteServers.key(server) + ':' + path);
    }

    static DataLocation directory(String node, String path) {
        return new DataLocation("dir " + node + ':' + path);
    }

    static DataLocation image(String node, String path) {
        return new DataLocation("image " + node + ':' + path);
    }

    /** Data that belongs to a Pod and is deleted with it. */
    static DataLocation podOwned(String node, String target) {
        return new DataLocation("own " + node + ':' + target);
    }

    /**
     * Returns the location of the source of a Pod's volume or a PersistentVolume; empty for data that belongs to a Pod.
     */
    static Optional<DataLocation> of(String node, JsonNode source) {
        if (source.path("nfs").isObject()) {
            JsonNode nfs = source.path("nfs");
            return Optional.of(
                    nfs(nfs.path("server").asText(""), nfs.path("path").asText("")));
        }
        if (source.path("csi").isObject()) {
            return Optional.of(image(node, image(source)));
        }
        for (String each : new String[] {"hostPath", "local"}) {
            if (source.path(each).isObject()) {
                return Optional.of(
                        directory(node, source.path(each).path("path").asText("")));
            }
        }
        return Optional.empty();
    }

    static String image(JsonNode source) {
        return source.path("csi").path("volumeAttributes").path("image").asText("");
    }

    @Override
    public String toString() {
        return text;
    }
}
