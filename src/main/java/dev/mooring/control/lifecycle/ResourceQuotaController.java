package dev.mooring.control.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.KindResources;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ResourceQuota;
import dev.mooring.world.Proposal;
import dev.mooring.world.ResourceQuotas;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the status of ResourceQuotas: the limits and the current use. The ledger enforces the limits and does not depend
 * on the status. Keyed by quota; the use comes from the World's tallies, so a change costs the same in a large namespace
 * as in a small one.
 */
public final class ResourceQuotaController implements Controller {
    private static final String NAME = "resourcequota-controller";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return KindResources.namespaced().stream()
                .map(kind -> Scope.resource(kind.resource()))
                .toList();
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        Scope quotas =
                Scope.namespace(ResourceQuota.RESOURCE, change.key().namespace().orElseThrow());
        if (world.count(quotas) > 0) {
            world.list(quotas).forEach(each -> queue.enqueue(each.key()));
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<ResourceQuota> found = world.get(key).map(ResourceQuota::of);
        if (found.isEmpty()) {
            return Decision.none();
        }
        ResourceQuota quota = found.get();
        ObjectNode next = quota.copy();
        ObjectNode status = next.putObject("status");
        ObjectNode hard = status.putObject("hard");
        quota.hard().forEach((name, amount) -> hard.put(name, amount.canonical()));
        ObjectNode used = status.putObject("used");
        ResourceQuotas.used(world, quota, quota.namespace())
                .forEach((name, amount) -> used.put(name, amount.canonical()));
        return next.equals(quota.tree())
                ? Decision.none()
                : Decision.of(Proposal.by(NAME, "ResourceQuotaStatusUpdated")
                        .because(quota.cause())
                        .replace(quota.stored(), Draft.of(key, next))
                        .build());
    }
}
