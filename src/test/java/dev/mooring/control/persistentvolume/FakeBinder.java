package dev.mooring.control.persistentvolume;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.persistentvolume.Provisioning.StartResult;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A minimal binder: requests a volume for every pending claim that may be provisioned. */
final class FakeBinder implements Controller {
    @Override
    public String name() {
        return StorageNames.VOLUME_CONTROLLER_NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.all());
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer enqueuer) {
        world.list(Scope.resource(StorageNames.CLAIMS)).forEach(each -> enqueuer.enqueue(each.key()));
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Claim> claim =
                world.get(key).map(Claim::of).filter(each -> !each.isBindCompleted() && !each.isBeingDeleted());
        Optional<StorageClass> storageClass = claim.flatMap(Claim::className)
                .flatMap(name -> world.get(StorageClass.key(name)))
                .map(StorageClass::of)
                .filter(each ->
                        !each.waitsForConsumer() || claim.get().selectedNode().isPresent());
        boolean found = claim.filter(each -> !each.volumeName().isEmpty())
                .flatMap(each -> world.get(Volume.key(each.volumeName())))
                .isPresent();
        if (storageClass.isEmpty() || found) {
            return Decision.none();
        }
        return Provisioning.decide(world, claim.get(), storageClass.get(), now) instanceof StartResult.Begin begin
                ? Decision.of(begin.proposal())
                : Decision.none();
    }
}
