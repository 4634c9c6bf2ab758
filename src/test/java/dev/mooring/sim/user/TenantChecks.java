package dev.mooring.sim.user;

import dev.mooring.api.auth.Role;
import dev.mooring.api.auth.User;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Checks that no identity reads or changes anything that its role does not allow (I11). Implements the rules
 * independently of the API. Must receive every event in order. For one thread.
 */
public final class TenantChecks {
    private static final String I11 = "I11";
    private static final Set<String> EDITABLE =
            Set.of(NamePools.PODS, NamePools.CLAIMS, NamePools.CONFIG_MAPS, NamePools.SECRETS);
    private static final Set<String> OPEN = Set.of(NamePools.VOLUMES, NamePools.CLASSES, NamePools.NODES);

    private final InvariantViolations violations;
    private final Map<String, User> tenants = new HashMap<>();

    /** Revision at which the Namespace of a name was last created or removed. */
    private final Map<String, Long> namespaceStart = new HashMap<>();

    TenantChecks(InvariantViolations violations) {
        this.violations = violations;
    }

    void add(User tenant) {
        tenants.put(tenant.name(), tenant);
    }

    /** Checks the next event. */
    public void event(Event event) {
        User tenant = tenants.get(event.actor());
        for (Change change : event.changes()) {
            ObjectKey key = change.key();
            if (key.resource().equals(NamePools.NAMESPACES) && (change.prior() == 0 || change.isRemoval())) {
                namespaceStart.put(key.name(), event.revision());
            }
            require(
                    tenant == null || mayWrite(tenant, key.namespace(), key.resource()),
                    () -> event.actor() + " changed " + key + " by " + event.type() + " at revision "
                            + event.revision());
            if (key.resource().equals(StorageNames.ACTUAL_VOLUMES) && !change.isRemoval()) {
                claimIsInNamespaceOfPods(ActualVolume.of(change.object()));
            }
        }
    }

    /** A claim's volume is mounted for Pods of the claim's namespace only. */
    private void claimIsInNamespaceOfPods(ActualVolume volume) {
        String namespace = volume.spec().path("claim").path("namespace").asText("");
        for (ActualVolume.Mount mount : volume.mounts()) {
            require(
                    namespace.isEmpty() || namespace.equals(mount.pod().namespace()),
                    () -> volume.key() + " of a claim in " + namespace + " is mounted for " + mount.pod());
        }
    }

    /** Returns whether a role allows a change. The simulated node sends only requests that a node may not make. */
    private static boolean mayWrite(User user, Optional<String> namespace, String resource) {
        return user.grant().role() == Role.ADMIN
                || (user.grant().role() == Role.EDIT
                        && namespace.filter(user.grant().namespaces()::contains).isPresent()
                        && EDITABLE.contains(resource));
    }

    /**
     * Checks the response to a write. A write that the role does not allow gets the same response whether or not the
     * object exists.
     */
    void answered(User user, SimRequest request, SimReply reply) {
        boolean allowed = mayWrite(user, request.namespace(), request.resource())
                && (request.subresource().isEmpty() || user.isAdmin());
        boolean forbidden =
                reply.refusal().filter(status -> status.code() == 403).isPresent();
        require(
                allowed || (user.grant().role() == Role.NODE ? !reply.isSuccess() : forbidden),
                () -> user.name() + " " + request.description() + " in " + request.namespace() + " and was answered "
                        + reply.text());
    }

    /** Checks an allowed request to run a command in a container. */
    void executed(User user, String namespace) {
        require(
                user.grant().role() == Role.EDIT && user.grant().namespaces().contains(namespace),
                () -> user.name() + " may run commands in Pods of " + namespace);
    }

    /**
     * Checks the objects of a response.
     *
     * @param now the newest World
     * @param at whether the request asked for history
     */
    void shown(User user, List<StoredObject> objects, World now, boolean at) {
        for (StoredObject each : objects) {
            ObjectKey key = each.key();
            boolean allowed = user.grant().role() == Role.NODE
                    ? !at && isRelated(now, user.nodeName().orElseThrow(), key)
                    : isOfRole(user, key) && !(at && key.resource().equals(NamePools.SECRETS));
            require(
                    allowed && each.revision() >= since(key),
                    () -> user.name() + " read " + key + " of revision " + each.revision() + ", current revision is "
                            + now.revision());
        }
    }

    private static boolean isOfRole(User user, ObjectKey key) {
        Optional<String> namespace =
                key.resource().equals(NamePools.NAMESPACES) ? Optional.of(key.name()) : key.namespace();
        return namespace.map(user.grant().namespaces()::contains).orElse(OPEN.contains(key.resource()));
    }

    /** Returns the first revision of the current Namespace of an object; older ones belong to another tenant. */
    private long since(ObjectKey key) {
        return key.namespace().map(this::since).orElse(0L);
    }

    long since(String namespace) {
        return namespaceStart.getOrDefault(namespace, 0L);
    }

    /** Returns whether the object is a Pod on the node, or is named by one. */
    private static boolean isRelated(World now, String node, ObjectKey key) {
        for (StoredObject each :
                now.list(Scope.namespace(NamePools.PODS, key.namespace().orElse("")))) {
            Pod pod = Pod.of(each);
            if (pod.nodeName().equals(node)
                    && (each.key().equals(key) || pod.spec().toString().contains('"' + key.name() + '"'))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Checks an event of a watch.
     *
     * @param since the first revision of the Namespace when the watch began
     */
    void watched(User user, String namespace, long since, long revision) {
        require(
                user.grant().namespaces().contains(namespace) && revision >= since,
                () -> user.name() + " watched revision " + revision + " of namespace " + namespace
                        + ", which was created at revision " + since);
    }

    private void require(boolean holds, Supplier<String> message) {
        if (!holds) {
            violations.report(I11, message.get());
        }
    }
}
