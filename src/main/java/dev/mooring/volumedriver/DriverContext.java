package dev.mooring.volumedriver;

import dev.mooring.api.StatusException;
import dev.mooring.api.auth.User;
import dev.mooring.api.resource.Catalog;
import dev.mooring.api.resource.ResourceWriter;
import dev.mooring.api.resource.WriteOptions;
import dev.mooring.api.resource.WriteResponse;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DockerMount;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ConfigException;
import dev.mooring.node.container.PodVolume;
import dev.mooring.runtime.ContainerRuntime.VolumeUser;
import dev.mooring.runtime.EngineException;
import dev.mooring.world.Indexes;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Dependencies of the volume driver, and what its requests share: reads of the World, and writes.
 *
 * @param node name of this node
 * @param options defaults of the options
 * @param check fails if a volume is not mounted
 * @param engine queries the containers of a Docker volume
 * @param usage describes the used space of a claim, if it was measured
 */
public record DriverContext(
        String node,
        DriverOptions options,
        WorldWaiter world,
        ResourceWriter writer,
        Catalog catalog,
        User user,
        Clock clock,
        MountCheck check,
        VolumeUsers engine,
        Function<ObjectKey, Optional<String>> usage) {

    /**
     * Settings of the driver.
     *
     * @param namespace of claims without the option
     * @param size of claims without the option
     * @param deadline of a mount
     */
    public record DriverOptions(String namespace, String size, Duration deadline) {}

    /** Verifies mounts. */
    @FunctionalInterface
    public interface MountCheck {
        void check(List<PodVolume> volumes) throws ConfigException;
    }

    /** Queries the engine. */
    @FunctionalInterface
    public interface VolumeUsers {
        List<VolumeUser> of(String volume) throws EngineException, InterruptedException;
    }

    World newest() {
        return world.ledger().world();
    }

    /** Returns the newest Event of a claim. */
    static Optional<String> reason(World world, Claim claim) {
        Optional<StoredObject> newest = Optional.empty();
        for (StoredObject event : world.list(Scope.namespace("events", claim.namespace()))) {
            boolean newer = newest.isEmpty() || event.revision() > newest.get().revision();
            if (newer && event.containsText(claim.uid())) {
                newest = Optional.of(event);
            }
        }
        return newest.map(event -> event.tree().path("reason").asText("") + ": "
                + event.tree().path("message").asText(""));
    }

    static List<Pod> users(World world, ObjectKey claim) {
        return world.find(Indexes.PODS_BY_CLAIM, claim).stream().map(Pod::of).toList();
    }

    static String usersText(World world, ObjectKey claim) {
        return String.join(
                ", ",
                users(world, claim).stream()
                        .map(pod -> DockerMount.of(pod).map(DockerMount::user).orElse("Pod " + pod.name()))
                        .distinct()
                        .toList());
    }

    static String named(ObjectKey key) {
        return key.namespace().orElse("") + '/' + key.name();
    }

    WriteOptions writeOptions() {
        return new WriteOptions(
                user,
                VolumeDriver.ACTOR,
                VolumeDriver.ACTOR,
                WriteOptions.Mode.COMMIT,
                WriteOptions.FieldValidation.STRICT);
    }

    static void write(Supplier<CompletionStage<WriteResponse>> request) throws DriverException {
        try {
            request.get().toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof StatusException refused) {
                throw new DriverException(refused.status().message());
            }
            throw e;
        } catch (StatusException e) {
            throw new DriverException(e.status().message());
        }
    }

    void update(ObjectKey key, Function<Claim, Optional<Proposal>> change) throws DriverException {
        update(key, change, Claim::of);
    }

    /** Commits a change of an object; again if another writer was faster. Returns empty if there is nothing to do. */
    <V> Optional<StoredObject> update(
            ObjectKey key, Function<V, Optional<Proposal>> change, Function<StoredObject, V> view)
            throws DriverException {
        while (true) {
            Optional<Proposal> proposal = newest().get(key).map(view).flatMap(change);
            if (proposal.isEmpty()) {
                return Optional.empty();
            }
            Outcome outcome =
                    world.ledger().propose(proposal.get()).toCompletableFuture().join();
            if (outcome instanceof Outcome.Committed committed) {
                return Optional.of(committed.event().changes().get(0).object());
            }
            if (outcome instanceof Outcome.Refused refused) {
                throw new DriverException(named(key) + ": " + refused.message());
            }
        }
    }
}
