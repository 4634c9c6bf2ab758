package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A Service. */
public final class Service extends View {
    public static final String RESOURCE = "services";
    public static final String SLICES = "endpointslices.discovery.k8s.io";

    /** Label of an EndpointSlice with the name of its Service. */
    public static final String SERVICE_NAME = "kubernetes.io/service-name";

    private static final String HEADLESS = "None";

    /**
     * A port.
     *
     * @param name "" for the only port
     * @param targetPort number or name
     * @param nodePort 0 for none
     */
    public record ServicePort(String name, String protocol, int port, JsonNode targetPort, int nodePort) {}

    private Service(StoredObject stored) {
        super(stored);
    }

    public static Service of(StoredObject stored) {
        return new Service(stored);
    }

    public static ObjectKey key(String namespace, String name) {
        return ObjectKey.namespaced(RESOURCE, namespace, name);
    }

    /** Returns the key of the Service of an EndpointSlice; empty if it has none. */
    public static Optional<ObjectKey> ofSlice(StoredObject slice) {
        String name =
                slice.tree().path("metadata").path("labels").path(SERVICE_NAME).asText("");
        return ObjectKey.ifValid(RESOURCE + '/' + slice.key().namespace().orElse("") + '/' + name);
    }

    /** Returns the address; empty for a headless Service and one without an address. */
    public Optional<String> clusterIp() {
        return text(spec().path("clusterIP")).filter(each -> !each.isEmpty() && !each.equals(HEADLESS));
    }

    public boolean isHeadless() {
        return spec().path("clusterIP").asText("").equals(HEADLESS);
    }

    public boolean publishesNotReady() {
        return spec().path("publishNotReadyAddresses").asBoolean(false);
    }

    /** Returns whether connections of a client go to the same Pod. */
    public boolean hasAffinity() {
        return spec().path("sessionAffinity").asText("").equals("ClientIP");
    }

    /** Returns the labels of its Pods, sorted; empty if it selects none. */
    public Map<String, String> selector() {
        Map<String, String> labels = new TreeMap<>();
        spec().path("selector")
                .properties()
                .forEach(each -> labels.put(each.getKey(), each.getValue().asText("")));
        return labels;
    }

    public List<ServicePort> ports() {
        List<ServicePort> ports = new ArrayList<>();
        for (JsonNode each : spec().path("ports")) {
            ports.add(new ServicePort(
                    each.path("name").asText(""),
                    each.path("protocol").asText("TCP"),
                    each.path("port").asInt(0),
                    each.path("targetPort"),
                    each.path("nodePort").asInt(0)));
        }
        return ports;
    }
}
