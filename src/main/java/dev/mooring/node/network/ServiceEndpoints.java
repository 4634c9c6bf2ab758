package dev.mooring.node.network;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;

/** Reads the endpoints of a Service from its EndpointSlices. Stateless; thread-safe. */
final class ServiceEndpoints {
    /**
     * An endpoint.
     *
     * @param hostname "" for none
     */
    record ReadyEndpoint(String address, int port, String hostname) {}

    private ServiceEndpoints() {}

    /** Returns the ready endpoints for a TCP port of a Service. */
    static List<ReadyEndpoint> ofPort(World world, ObjectKey service, String portName) {
        List<ReadyEndpoint> found = new ArrayList<>();
        for (StoredObject slice : world.find(Indexes.SLICES_BY_SERVICE, service)) {
            for (JsonNode port : slice.tree().path("ports")) {
                if (port.path("name").asText("").equals(portName)
                        && port.path("protocol").asText("TCP").equals("TCP")
                        && port.path("port").asInt(0) > 0) {
                    addReady(slice.tree(), port.path("port").asInt(), found);
                }
            }
        }
        return found;
    }

    /** Returns the ready endpoints of all ports; the port is 0. */
    static List<ReadyEndpoint> all(World world, ObjectKey service) {
        List<ReadyEndpoint> found = new ArrayList<>();
        world.find(Indexes.SLICES_BY_SERVICE, service).forEach(slice -> addReady(slice.tree(), 0, found));
        return found;
    }

    private static void addReady(JsonNode slice, int port, List<ReadyEndpoint> found) {
        for (JsonNode endpoint : slice.path("endpoints")) {
            if (endpoint.path("conditions").path("ready").asBoolean(true)) {
                String hostname = endpoint.path("hostname").asText("");
                endpoint.path("addresses")
                        .forEach(each -> found.add(new ReadyEndpoint(each.asText(""), port, hostname)));
            }
        }
    }
}
