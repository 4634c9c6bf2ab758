package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.resource.Patch.PatchFormat;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Requests of identities with limited roles, in their own namespace and in others. {@link TenantChecks} checks the
 * responses.
 */
final class TenantActions {
    private static final List<String> KINDS = List.of(
            NamePools.SECRETS,
            NamePools.SECRETS,
            NamePools.CONFIG_MAPS,
            NamePools.PODS,
            NamePools.CLAIMS,
            "events",
            NamePools.NAMESPACES);

    private static final int REQUESTS = 4;
    private static final int ATTEMPTS = 3;
    private static final Duration SOON = Duration.ofMinutes(1);

    private final ActionContext context;
    private final SeededRandom random;

    TenantActions(ActionContext context) {
        this.context = context;
        this.random = context.random();
    }

    /** Sends a few requests of one identity; sometimes an admin replaces a tenant's namespace at the same time. */
    void perform(SimClient tenant, SimClient admin, World world) {
        if (random.percent(8)) {
            replaceNamespace(admin);
        }
        boolean node = !SimUsers.isUser(tenant.name());
        for (int i = 0; i < REQUESTS; i++) {
            boolean reads = random.percent(70);
            if (node && reads) {
                readAsNode(tenant, world);
            } else if (node) {
                writeAsNode(tenant, world);
            } else if (reads) {
                read(tenant, world);
            } else {
                write(tenant, world);
            }
        }
    }

    private void write(SimClient tenant, World world) {
        CreateActions createActions = new CreateActions(context);
        switch (random.below(6)) {
            case 0 -> new DeleteActions(context, createActions).perform(tenant, world);
            case 1 -> new EditActions(context).perform(tenant, world);
            case 2 -> createActions.perform(tenant, world);
            default -> {
                String kind = random.one(List.of(NamePools.SECRETS, NamePools.SECRETS, NamePools.CONFIG_MAPS));
                ObjectKey key = ObjectKey.namespaced(kind, namespace(tenant), random.one(NamePools.CONTENT_NAMES));
                createActions.recreate(world, key).ifPresent(tenant::send);
            }
        }
    }

    /** An admin deletes a namespace and creates another one of the same name. */
    private void replaceNamespace(SimClient admin) {
        ObjectKey key = ObjectKey.clusterWide(NamePools.NAMESPACES, NamePools.NEW_NAMESPACES.get(0));
        admin.send(SimRequest.delete("deletes Namespace of a tenant", key));
        SimRequest create = SimRequest.create(
                "creates Namespace for the next tenant",
                NamePools.NAMESPACES,
                Optional.empty(),
                context.manifests().namespace(key.name()));
        for (int i = 0; i < ATTEMPTS; i++) {
            admin.later(random.upTo(SOON), () -> admin.send(create));
        }
    }

    private String namespace(SimClient tenant) {
        List<String> own = tenant.namespaces();
        return random.percent(60) && !own.isEmpty() ? random.one(own) : random.one(NamePools.TARGET_NAMESPACES);
    }

    private void read(SimClient tenant, World world) {
        String namespace = namespace(tenant);
        String kind = random.one(KINDS);
        switch (random.below(8)) {
            case 0 -> tenant.exec(namespace, random.one(NamePools.POD_NAMES));
            case 1, 2 ->
                tenant.watch(kind.equals(NamePools.NAMESPACES) ? NamePools.PODS : kind, namespace, past(world));
            default -> {
                boolean one = random.percent(30);
                boolean past = random.percent(50);
                tenant.read(
                        kind,
                        kind.equals(NamePools.NAMESPACES) || (!one && random.percent(10))
                                ? Optional.empty()
                                : Optional.of(namespace),
                        one ? Optional.of(name(kind, namespace)) : Optional.empty(),
                        past ? OptionalLong.of(past(world)) : OptionalLong.empty(),
                        past && random.percent(70));
            }
        }
    }

    private String name(String kind, String namespace) {
        return switch (kind) {
            case NamePools.NAMESPACES -> namespace;
            case NamePools.PODS -> random.one(NamePools.POD_NAMES);
            case NamePools.CLAIMS -> random.one(NamePools.CLAIM_NAMES);
            default -> random.one(NamePools.CONTENT_NAMES);
        };
    }

    private long past(World world) {
        int all = Math.toIntExact(world.revision()) + 1;
        return world.revision() - random.below(random.percent(50) ? Math.min(60, all) : all);
    }

    /** Reads the objects that Pods of a node refer to, and others. */
    private void readAsNode(SimClient node, World world) {
        String kind = random.one(List.of(NamePools.SECRETS, NamePools.CONFIG_MAPS, NamePools.PODS));
        context.any(world, kind)
                .map(StoredObject::key)
                .ifPresent(key -> node.read(
                        kind,
                        key.namespace(),
                        Optional.of(key.name()),
                        random.percent(25) ? OptionalLong.of(past(world)) : OptionalLong.empty(),
                        true));
    }

    /** Sends writes that no node may make, or not this one. */
    private void writeAsNode(SimClient node, World world) {
        String namespace = random.one(NamePools.TARGET_NAMESPACES);
        ObjectNode patch = EditActions.merge("/metadata/annotations", "example.com/by", node.name());
        Optional<ObjectKey> pod = context.any(world, NamePools.PODS).map(StoredObject::key);
        switch (random.below(5)) {
            case 0 ->
                node.send(SimRequest.create(
                                "writes an Event as another node",
                                "events",
                                Optional.of(namespace),
                                event(namespace, pod.map(ObjectKey::name).orElse("p0")))
                        .expectRefused());
            case 1 ->
                pod.ifPresent(
                        key -> node.send(SimRequest.patch("changes a Pod as a node", key, "", PatchFormat.MERGE, patch)
                                .expectRefused()));
            case 2 ->
                pod.filter(key -> !isOn(world, key, node))
                        .ifPresent(key -> node.send(SimRequest.patch(
                                        "changes status of a Pod on another node",
                                        key,
                                        ResourceRef.STATUS,
                                        PatchFormat.MERGE,
                                        patch)
                                .expectRefused()));
            case 3 ->
                node.send(SimRequest.patch(
                                "changes another Node",
                                ObjectKey.clusterWide(NamePools.NODES, "n2"),
                                ResourceRef.STATUS,
                                PatchFormat.MERGE,
                                patch)
                        .expectRefused());
            default ->
                node.send(SimRequest.create(
                                "creates Secret as a node",
                                NamePools.SECRETS,
                                Optional.of(namespace),
                                context.manifests().secret(random.one(NamePools.CONTENT_NAMES)))
                        .expectRefused());
        }
    }

    private static boolean isOn(World world, ObjectKey pod, SimClient node) {
        return node.name()
                .endsWith(':' + world.get(pod).map(Pod::of).map(Pod::nodeName).orElse(""));
    }

    private ObjectNode event(String namespace, String pod) {
        ObjectNode event = SimManifests.object("v1", "Event", "e" + random.below(1000));
        event.putObject("involvedObject")
                .put("apiVersion", "v1")
                .put("kind", "Pod")
                .put("namespace", namespace)
                .put("name", pod);
        event.putObject("source").put("component", "kubelet").put("host", "n2");
        return event.put("reason", "Forged").put("message", "forged").put("type", "Warning");
    }
}
