package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.User;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.model.KindResources;
import dev.mooring.world.World;
import java.util.HashSet;
import java.util.Set;

/** The permission to let an object block the deletion of its owner. */
final class OwnerPermissions {
    private static final String OWNERS = "ownerReferences";
    private static final String BLOCKS = "blockOwnerDeletion";

    private OwnerPermissions() {}

    /**
     * Requires permission to change an owner whose deletion the object blocks, like Kubernetes'
     * OwnerReferencesPermissionEnforcement.
     */
    static void check(World world, ResourceRef target, ObjectNode next, JsonNode before, User user) {
        JsonNode owners = JsonFields.get(ObjectJson.metadata(next), OWNERS);
        if (owners.isMissingNode() || user.isAdmin()) {
            return;
        }
        Authorizer authorizer = new Authorizer(() -> world);
        Set<String> blocked = new HashSet<>();
        for (JsonNode owner : JsonFields.get(before, "metadata", OWNERS)) {
            if (JsonFields.isTrue(owner, BLOCKS)) {
                blocked.add(JsonFields.text(owner, "uid"));
            }
        }
        for (JsonNode owner : owners) {
            if (JsonFields.isTrue(owner, BLOCKS) && !blocked.contains(JsonFields.text(owner, "uid"))) {
                KindResources.ofKind(JsonFields.text(owner, "apiVersion"), JsonFields.text(owner, "kind"))
                        .map(kind -> authorizer.decide(user, updating(kind, target, JsonFields.text(owner, "name"))))
                        .filter(Authorizer.AuthorizationDecision.Denied.class::isInstance)
                        .ifPresent(denied -> {
                            throw new StatusException(target.forbidden(
                                    ObjectJson.text(ObjectJson.metadata(next), "name"),
                                    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't"
                                            + " set finalizers on: "
                                            + ((Authorizer.AuthorizationDecision.Denied) denied).message()));
                        });
            }
        }
    }

    private static Attributes updating(KindResources.ResourceKind kind, ResourceRef target, String name) {
        String plural = kind.group().isEmpty()
                ? kind.resource()
                : kind.resource()
                        .substring(0, kind.resource().length() - kind.group().length() - 1);
        return Attributes.resource("update", kind.group(), plural)
                .withNamespace(kind.isNamespaced() ? target.namespace().orElse("") : "")
                .withName(name);
    }
}
