package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.nfs.NfsServers;
import java.util.Optional;

/** Where the data of a volume really is, whatever it is called: two names of one place are one place. */
record Place(String text) {
    static Place nfs(String server, String path) {
        return new Place("nfs " + NfsServers.key(server) + ':' + path);
    }

    static Place directory(String node, String path) {
        return new Place("dir " + node + ':' + path);
    }

    static Place image(String node, String path) {
        return new Place("image " + node + ':' + path);
    }

    /** What is a Pod's own and goes with it. */
    static Place own(String node, String target) {
        return new Place("own " + node + ':' + target);
    }

    /** That of a source as in a Pod or a PersistentVolume; nothing if it is a Pod's own. */
    static Optional<Place> of(String node, JsonNode source) {
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
