package dev.mooring.node.orphan;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.node.desired.Containers;
import dev.mooring.volume.orphan.PodDirectory;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Has the directory of a Pod removed when there is no such Pod any more, nothing of it is mounted or desired on the node, and no container
 * of it may run. Directories of which no object ever told, as after a crash or from a former life, are looked for at the start and every now
 * and then.
 *
 * <p>Keys are made up: {@code poddirectories/<uid>}, and {@link #ALL} for what is on the disk. They stand for no object. A Pod
 * that is gone never returns, so that it was told of going is enough to know that it is gone. Effects go through {@link Cleaner}.
 *
 * <p>To be started when it is known what the machine has: what a former life has mounted must have its ActualVolumes.
 */
public final class PodDirectories implements Controller {
    static final String RESOURCE = "poddirectories";

    /** No Pod has such a uid. */
    static final ObjectKey ALL = ObjectKey.clusterWide(RESOURCE, "*");

    /** How often it is looked through what is there, and what could not be removed is tried again. */
    static final Duration NET = Duration.ofMinutes(10);

    /** Nobody tells that the last container has ended. */
    static final Duration CONTAINERS = Duration.ofSeconds(5);

    private final String node;
    private final Containers containers;
    private final Cleaner cleaner;
    private final Holders holders = new Holders();

    /** @param node its name */
    public PodDirectories(String node, Containers containers, Cleaner cleaner) {
        this.node = node;
        this.containers = containers;
        this.cleaner = cleaner;
    }

    @Override
    public String name() {
        return "node/" + node;
    }

    @Override
    public String part() {
        return "pod-directories";
    }

    @Override
    public List<Scope> scopes() {
        List<Scope> scopes = new ArrayList<>(Holders.scopes());
        scopes.add(Scope.object(Node.key(node)));
        return scopes;
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        if (change.key().equals(Node.key(node))) {
            if (before.isEmpty()) {
                wakes.now(ALL);
            }
            return;
        }
        Set<String> uids = change.isRemoval() ? Set.of() : Holders.uids(change.object(), node);
        Set<String> free = holders.put(change.key(), uids);
        if (!free.isEmpty() && mayBeHere(change.object())) {
            free.stream()
                    .filter(PodDirectory::mayBeUid)
                    .map(uid -> ObjectKey.clusterWide(RESOURCE, uid))
                    .forEach(wakes::now);
        }
    }

    /** Pods of other nodes have left nothing here. */
    private boolean mayBeHere(StoredObject holder) {
        return !holder.key().resource().equals(Holders.PODS) || StoredJson.mentions(holder, node);
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (key.equals(ALL)) {
            cleaner.sweep(this::isNeeded);
            return Decision.nothing().lookAgainAfter(NET);
        }
        String uid = key.name();
        if (holders.holds(uid)) {
            return Decision.nothing();
        }
        if (containers.mayRun(uid)) {
            return Decision.nothing().lookAgainAfter(CONTAINERS);
        }
        cleaner.remove(uid);
        return Decision.nothing();
    }

    private boolean isNeeded(String uid) {
        return holders.holds(uid) || containers.mayRun(uid);
    }
}
