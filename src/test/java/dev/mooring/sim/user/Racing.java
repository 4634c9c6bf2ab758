package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.apply.Force;
import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Two users change the same object. That nobody overwrites what he has not seen is for {@link Acks} to find out. */
final class Racing {
    private static final Duration THINKING = Duration.ofMillis(200);

    private final Acting acting;
    private final Chance chance;

    Racing(Acting acting) {
        this.acting = acting;
        this.chance = acting.chance();
    }

    void act(Client one, Client other, World world) {
        if (chance.percent(60)) {
            acting.anything(world).ifPresent(object -> {
                replace(one, object);
                replace(other, object);
            });
        } else {
            apply(one);
            apply(other);
        }
    }

    /** Writes back what was read, a little changed, after a moment. */
    private void replace(Client user, StoredObject object) {
        ObjectNode edited = StoredJson.tree(object);
        edited.withObject("/metadata/annotations").put("example.com/edited-by", user.name() + chance.below(100));
        if (chance.percent(10)) {
            edited.withObject("/metadata").remove("resourceVersion");
        }
        Request request = Request.replace("replaces what it has read", object.key(), "", edited);
        user.later(chance.upTo(THINKING), () -> user.send(request));
    }

    /** Server-side apply of an object that both want to have, with fields of their own and one that both care for. */
    private void apply(Client user) {
        String home = chance.one(List.of("default", "default", "team-a"));
        String name = chance.one(Pools.CONTENT_NAMES);
        ObjectNode object = Manifests.object("v1", "ConfigMap", name);
        ObjectNode data = object.putObject("data").put(user.name(), "own");
        if (chance.percent(50)) {
            data.put("key", "of " + user.name());
        }
        Force force = chance.percent(40) ? Force.YES : Force.NO;
        ObjectKey key = ObjectKey.namespaced(Pools.CONFIG_MAPS, home, name);
        user.send(Request.apply("applies ConfigMap" + (force == Force.YES ? " by force" : ""), key, object, force));
        if (chance.percent(30)) {
            applyClaim(user, home);
        }
    }

    private void applyClaim(Client user, String home) {
        String name = chance.one(Pools.CLAIM_NAMES);
        Optional<World> world = user.world();
        if (world.isPresent()) {
            ObjectNode claim = Manifests.object("v1", "PersistentVolumeClaim", name);
            claim.withObject("/metadata/labels").put("applied-by", user.name());
            Manifests.texts(claim.withObject("/spec").putArray("accessModes"), Pools.RWO);
            claim.withObject("/spec/resources/requests").put("storage", "1Gi");
            ObjectKey key = ObjectKey.namespaced(Pools.CLAIMS, home, name);
            user.send(Request.apply("applies PVC", key, claim, Force.NO));
        }
    }
}
