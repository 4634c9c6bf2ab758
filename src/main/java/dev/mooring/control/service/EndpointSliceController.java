package dev.mooring.control.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Digests;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Service;
import dev.mooring.model.view.Service.ServicePort;
import dev.mooring.world.Index;
import dev.mooring.world.Indexes;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Keeps the EndpointSlices of Services with a selector: the addresses of their Pods, whether each is ready, and the
 * target ports. A slice has at most {@value #MAX_ENDPOINTS} endpoints, all with the same ports. Slices of other
 * managers, and those of Services without a selector, are left alone.
 *
 * <p>Keyed by Service.
 */
public final class EndpointSliceController implements Controller {
    /** Kubernetes' default. */
    static final int MAX_ENDPOINTS = 100;

    private static final String NAME = "endpointslice-controller";
    private static final String PODS = "pods";
    private static final String MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
    private static final String MANAGER = "endpointslice-controller.k8s.io";
    private static final String HEADLESS_LABEL = "service.kubernetes.io/headless";
    private static final int HASH_BYTES = 5;

    /** Pods by namespace and each of their labels. */
    private static final Index<String> PODS_BY_LABEL =
            Index.of("Pods by label", Scope.resource(PODS), EndpointSliceController::labels);

    private static List<String> labels(StoredObject pod) {
        List<String> values = new ArrayList<>();
        String namespace = pod.key().namespace().orElse("");
        pod.tree()
                .path("metadata")
                .path("labels")
                .properties()
                .forEach(each -> values.add(
                        label(namespace, each.getKey(), each.getValue().asText(""))));
        return values;
    }

    private static String label(String namespace, String key, String value) {
        return namespace + '/' + key + '=' + value;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(Service.RESOURCE), Scope.resource(PODS), Scope.resource(Service.SLICES));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        switch (change.key().resource()) {
            case Service.RESOURCE -> queue.enqueue(change.key());
            case PODS -> {
                Optional<StoredObject> after = change.isRemoval() ? Optional.empty() : Optional.of(change.object());
                if (!before.map(EndpointSliceController::state).equals(after.map(EndpointSliceController::state))) {
                    String namespace = change.key().namespace().orElse("");
                    for (StoredObject each : world.list(Scope.namespace(Service.RESOURCE, namespace))) {
                        Service service = Service.of(each);
                        if (before.filter(pod -> selects(service, pod)).isPresent()
                                || after.filter(pod -> selects(service, pod)).isPresent()) {
                            queue.enqueue(each.key());
                        }
                    }
                }
            }
            default -> Indexes.SLICES_BY_SERVICE.affectedBy(change, before).forEach(queue::enqueue);
        }
    }

    /** Returns the parts of a Pod on which its endpoints depend. */
    private static List<JsonNode> state(StoredObject object) {
        Pod pod = Pod.of(object);
        return List.of(
                pod.labels(),
                pod.status().path("podIP"),
                pod.status().path("phase"),
                pod.metadata().path("deletionTimestamp"),
                JsonNodeFactory.instance.booleanNode(isReady(pod)));
    }

    private static boolean selects(Service service, StoredObject pod) {
        Map<String, String> selector = service.selector();
        JsonNode labels = pod.tree().path("metadata").path("labels");
        return !selector.isEmpty()
                && selector.entrySet().stream()
                        .allMatch(each -> each.getValue()
                                .equals(labels.path(each.getKey()).asText(null)));
    }

    private static boolean isReady(Pod pod) {
        for (JsonNode each : pod.status().path("conditions")) {
            if (each.path("type").asText("").equals("Ready")) {
                return each.path("status").asText("").equals("True");
            }
        }
        return false;
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Service> found = world.get(key)
                .map(Service::of)
                .filter(each -> !each.isBeingDeleted() && !each.selector().isEmpty());
        Map<ObjectKey, ObjectNode> wanted =
                found.map(service -> slices(world, service)).orElse(Map.of());
        List<Proposal> proposals = new ArrayList<>();
        for (StoredObject slice : world.find(Indexes.SLICES_BY_SERVICE, key)) {
            if (!isOwn(slice) || StoredJson.isBeingDeleted(slice)) {
                continue;
            }
            ObjectNode content = wanted.get(slice.key());
            if (content == null) {
                proposals.add(Proposal.by(NAME, "EndpointSliceDeleted")
                        .because(Cause.revision(world.revision()))
                        .remove(slice)
                        .build());
            } else {
                ObjectNode next = slice.toTree();
                update(next, content);
                if (!next.equals(slice.tree())) {
                    proposals.add(Proposal.by(NAME, "EndpointSliceUpdated")
                            .because(found.orElseThrow().cause())
                            .replace(slice, Draft.of(slice.key(), next))
                            .build());
                }
            }
        }
        wanted.forEach((sliceKey, content) -> {
            if (world.get(sliceKey).isEmpty()) {
                proposals.add(Proposal.by(NAME, "EndpointSliceCreated")
                        .because(found.orElseThrow().cause())
                        .create(Draft.of(sliceKey, created(sliceKey, content, now)))
                        .expect(found.orElseThrow().stored())
                        .build());
            }
        });
        return Decision.of(proposals);
    }

    private static boolean isOwn(StoredObject slice) {
        return slice.tree()
                .path("metadata")
                .path("labels")
                .path(MANAGED_BY)
                .asText("")
                .equals(MANAGER);
    }

    /** Replaces the content of a slice; keeps its identity and the users' annotations. */
    private static void update(ObjectNode slice, ObjectNode content) {
        slice.set("endpoints", content.get("endpoints"));
        slice.set("ports", content.get("ports"));
        slice.withObject("/metadata").set("labels", content.at("/metadata/labels"));
    }

    private static ObjectNode created(ObjectKey key, ObjectNode content, Instant now) {
        ObjectNode slice = JsonNodeFactory.instance.objectNode();
        slice.put("kind", "EndpointSlice").put("apiVersion", "discovery.k8s.io/v1");
        ObjectNode metadata = slice.putObject("metadata");
        metadata.put("name", key.name())
                .put("namespace", key.namespace().orElseThrow())
                .put(
                        "uid",
                        UUID.nameUUIDFromBytes((key + "@" + now).getBytes(StandardCharsets.UTF_8))
                                .toString())
                .put("creationTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
        metadata.setAll((ObjectNode) content.get("metadata"));
        slice.put("addressType", "IPv4");
        update(slice, content);
        return slice;
    }

    /** Returns the slices that a Service must have, by key; one without endpoints if it has none. */
    private static Map<ObjectKey, ObjectNode> slices(World world, Service service) {
        Map<ArrayNode, List<ObjectNode>> byPorts = new LinkedHashMap<>();
        for (Pod pod : pods(world, service)) {
            byPorts.computeIfAbsent(ports(service, pod), unused -> new ArrayList<>())
                    .add(endpoint(service, pod));
        }
        if (byPorts.isEmpty()) {
            byPorts.put(JsonNodeFactory.instance.arrayNode(), List.of());
        }
        Map<ObjectKey, ObjectNode> slices = new LinkedHashMap<>();
        byPorts.forEach((ports, endpoints) -> {
            for (int from = 0; from == 0 || from < endpoints.size(); from += MAX_ENDPOINTS) {
                List<ObjectNode> part = endpoints.subList(from, Math.min(from + MAX_ENDPOINTS, endpoints.size()));
                // The first slice keeps its name when the ports of all Pods change.
                String unique = service.uid() + (slices.isEmpty() ? "" : ports.toString() + from);
                String suffix = Digests.sha256Hex(unique, HASH_BYTES);
                slices.put(
                        ObjectKey.namespaced(Service.SLICES, service.namespace(), service.name() + '-' + suffix),
                        slice(service, ports, part));
            }
        });
        return slices;
    }

    /** Returns the Pods of a Service that have an address and have not ended, by name. */
    private static List<Pod> pods(World world, Service service) {
        Map.Entry<String, String> first =
                service.selector().entrySet().iterator().next();
        return world.find(PODS_BY_LABEL, label(service.namespace(), first.getKey(), first.getValue())).stream()
                .filter(each -> selects(service, each))
                .map(Pod::of)
                .filter(pod -> !pod.isFinished()
                        && !pod.status().path("podIP").asText("").isEmpty())
                .toList();
    }

    private static ObjectNode endpoint(Service service, Pod pod) {
        ObjectNode endpoint = JsonNodeFactory.instance.objectNode();
        endpoint.putArray("addresses").add(pod.status().path("podIP").asText(""));
        boolean serving = isReady(pod);
        endpoint.putObject("conditions")
                .put("ready", service.publishesNotReady() || (serving && !pod.isBeingDeleted()))
                .put("serving", serving)
                .put("terminating", pod.isBeingDeleted());
        String hostname = pod.spec().path("hostname").asText("");
        if (!hostname.isEmpty() && pod.spec().path("subdomain").asText("").equals(service.name())) {
            endpoint.put("hostname", hostname);
        }
        endpoint.put("nodeName", pod.nodeName());
        endpoint.putObject("targetRef")
                .put("kind", "Pod")
                .put("namespace", pod.namespace())
                .put("name", pod.name())
                .put("uid", pod.uid());
        return endpoint;
    }

    /** Returns the target ports of a Service in a Pod; a port whose name the Pod does not have is left out. */
    private static ArrayNode ports(Service service, Pod pod) {
        ArrayNode ports = JsonNodeFactory.instance.arrayNode();
        for (ServicePort each : service.ports()) {
            int number = each.targetPort().isTextual()
                    ? containerPort(pod, each.targetPort().asText(), each.protocol())
                    : each.targetPort().asInt(each.port());
            if (number > 0) {
                ports.addObject()
                        .put("name", each.name())
                        .put("protocol", each.protocol())
                        .put("port", number);
            }
        }
        return ports;
    }

    private static int containerPort(Pod pod, String name, String protocol) {
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : pod.spec().path(list)) {
                boolean runs = list.equals("containers")
                        || container.path("restartPolicy").asText("").equals("Always");
                for (JsonNode port : container.path("ports")) {
                    if (runs
                            && port.path("name").asText("").equals(name)
                            && port.path("protocol").asText("TCP").equals(protocol)) {
                        return port.path("containerPort").asInt(0);
                    }
                }
            }
        }
        return 0;
    }

    private static ObjectNode slice(Service service, ArrayNode ports, List<ObjectNode> endpoints) {
        ObjectNode slice = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = slice.putObject("metadata");
        ObjectNode labels = metadata.putObject("labels");
        service.labels().properties().forEach(each -> labels.set(each.getKey(), each.getValue()));
        labels.put(MANAGED_BY, MANAGER).put(Service.SERVICE_NAME, service.name());
        if (service.isHeadless()) {
            labels.put(HEADLESS_LABEL, "");
        }
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Service")
                .put("name", service.name())
                .put("uid", service.uid())
                .put("controller", true)
                .put("blockOwnerDeletion", true);
        slice.putArray("endpoints").addAll(endpoints);
        slice.set("ports", ports.deepCopy());
        return slice;
    }
}
