package dev.mooring.control.lifecycle;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Service;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Publishes the API: keeps the Service {@code default/kubernetes} and, in each namespace, the ConfigMap
 * {@code kube-root-ca.crt}. Both are created again after a deletion and restored after a change; labels, and
 * annotations other than Kubernetes' description, are left alone. Nothing is created in a namespace that is being
 * deleted.
 *
 * <p>Keyed by the objects it keeps. Has no index.
 */
public final class ApiPublisher implements Controller {
    private static final String NAME = "api-publisher";
    private static final String NAMESPACES = "namespaces";
    private static final String CONFIG_MAPS = "configmaps";
    private static final String ROOT_CA = "kube-root-ca.crt";
    private static final ObjectKey SERVICE = Service.key("default", "kubernetes");
    private static final ObjectKey SLICE = ObjectKey.namespaced(Service.SLICES, "default", "kubernetes");
    private static final int HTTPS = 443;

    /** Kubernetes' annotation and text. */
    private static final String DESCRIPTION = "kubernetes.io/description";

    private static final String DESCRIPTION_TEXT =
            "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as"
                    + " the internal service IP or kubernetes.default.svc. No other usage is guaranteed across"
                    + " distributions of Kubernetes clusters.";

    private final Optional<String> serviceAddress;
    private final String address;
    private final int port;
    private final String authorityPem;

    /**
     * @param serviceAddress address of the Service, if the node forwards it to the API; else the API's own
     * @param address IP address on which the API listens
     * @param authorityPem certificate of the authority that signed the API's certificate
     */
    public ApiPublisher(Optional<String> serviceAddress, String address, int port, String authorityPem) {
        this.serviceAddress = serviceAddress;
        this.address = address;
        this.port = port;
        this.authorityPem = authorityPem;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.resource(NAMESPACES), Scope.resource(CONFIG_MAPS), Scope.object(SERVICE), Scope.object(SLICE));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        ObjectKey key = change.key();
        if (!key.resource().equals(NAMESPACES)) {
            if (key.equals(SERVICE) || key.equals(SLICE) || key.name().equals(ROOT_CA)) {
                queue.enqueue(key);
            }
        } else if (change.isCreation()) {
            queue.enqueue(ObjectKey.namespaced(CONFIG_MAPS, key.name(), ROOT_CA));
            if (SERVICE.namespace().equals(Optional.of(key.name()))) {
                queue.enqueue(SERVICE);
                queue.enqueue(SLICE);
            }
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<StoredObject> namespace = key.namespace()
                .flatMap(name -> world.get(ObjectKey.clusterWide(NAMESPACES, name)))
                .filter(each -> !StoredJson.isBeingDeleted(each));
        if (namespace.isEmpty()) {
            return Decision.none();
        }
        boolean isService = key.equals(SERVICE);
        boolean isSlice = key.equals(SLICE);
        String kind = isService ? "Service" : isSlice ? "EndpointSlice" : "ConfigMap";
        Optional<StoredObject> found = world.get(key);
        ObjectNode wanted = found.map(StoredObject::toTree).orElseGet(() -> created(world, key, kind, now));
        if (isService) {
            fillService(wanted);
        } else if (isSlice) {
            fillSlice(wanted);
        } else {
            fillConfigMap(wanted);
        }
        if (found.isEmpty()) {
            return Decision.of(Proposal.by(NAME, kind + "Published")
                    .because(Cause.revision(namespace.get().revision()))
                    .create(Draft.of(key, wanted))
                    .expect(namespace.get())
                    .build());
        }
        return wanted.equals(found.get().tree())
                ? Decision.none()
                : Decision.of(Proposal.by(NAME, kind + "Restored")
                        .because(Cause.revision(found.get().revision()))
                        .replace(found.get(), Draft.of(key, wanted))
                        .build());
    }

    private static ObjectNode created(World world, ObjectKey key, String kind, Instant now) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        String unique = key + "@" + world.revision() + "@" + now;
        object.put("kind", kind).put("apiVersion", kind.equals("EndpointSlice") ? "discovery.k8s.io/v1" : "v1");
        object.putObject("metadata")
                .put("name", key.name())
                .put("namespace", key.namespace().orElseThrow())
                .put(
                        "uid",
                        UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8))
                                .toString())
                .put("creationTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
        if (kind.equals("Service")) {
            object.withObject("/metadata/labels").put("component", "apiserver").put("provider", "kubernetes");
            object.putObject("spec");
            object.putObject("status").putObject("loadBalancer");
        }
        return object;
    }

    private void fillConfigMap(ObjectNode object) {
        object.withObject("/metadata/annotations").put(DESCRIPTION, DESCRIPTION_TEXT);
        object.remove(List.of("binaryData", "immutable"));
        object.putObject("data").put("ca.crt", authorityPem);
    }

    private void fillSlice(ObjectNode object) {
        object.withObject("/metadata/labels").put(Service.SERVICE_NAME, SERVICE.name());
        object.put("addressType", address.contains(":") ? "IPv6" : "IPv4");
        ObjectNode endpoint = object.putArray("endpoints").addObject();
        endpoint.putArray("addresses").add(address);
        endpoint.putObject("conditions").put("ready", true);
        object.putArray("ports")
                .addObject()
                .put("name", "https")
                .put("protocol", "TCP")
                .put("port", port);
    }

    /** Without a service proxy, the Service's port is the port on which the API listens. */
    private void fillService(ObjectNode object) {
        String address = serviceAddress.orElse(this.address);
        ObjectNode spec = object.putObject("spec");
        spec.put("type", "ClusterIP").put("clusterIP", address);
        spec.putArray("clusterIPs").add(address);
        spec.putArray("ipFamilies").add(address.contains(":") ? "IPv6" : "IPv4");
        spec.put("ipFamilyPolicy", "SingleStack")
                .put("internalTrafficPolicy", "Cluster")
                .put("sessionAffinity", "None");
        spec.putArray("ports")
                .addObject()
                .put("name", "https")
                .put("protocol", "TCP")
                .put("port", serviceAddress.isPresent() ? HTTPS : port)
                .put("targetPort", port);
    }
}
