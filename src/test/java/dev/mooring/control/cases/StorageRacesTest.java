package dev.mooring.control.cases;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.Controller;
import dev.mooring.control.ControllerVerticle;
import dev.mooring.control.StateStoreFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.control.persistentvolume.PersistentVolumeController;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import io.micrometer.core.instrument.Counter;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Runs the controllers as verticles with a real ledger and concurrent writers. Afterwards the storage invariants are
 * checked for every event of the log.
 */
final class StorageRacesTest {
    private static final int OBJECTS = 100;
    private static final long SEED = 4;

    private final Vertx vertx = Vertx.vertx();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final Random random = new Random(SEED);
    private final CaseObjects objects = new CaseObjects(name -> "uid-" + name);
    private StateStoreFixture store;

    @BeforeEach
    void open() throws IOException {
        store = new StateStoreFixture();
        store.put("{kind: Namespace, metadata: {name: default}}\n---\n{kind: Namespace, metadata: {name: other}}\n");
    }

    @AfterEach
    void close() throws IOException {
        StorageInvariants invariants = new StorageInvariants(World.EMPTY);
        long last = store.world().revision();
        store.context(Schedulers.io(), Clock.systemUTC())
                .hub()
                .events(0, Scope.all(), Schedulers.io())
                .takeUntil(event -> event.event().revision() >= last)
                .blockingForEach(event -> invariants.check(event.event()));
        await(vertx.close());
        store.close();
        assertThat(failures).isEmpty();
    }

    private static <T> T await(Future<T> future) {
        return StateStoreFixture.get(future.toCompletionStage().toCompletableFuture());
    }

    private void deploy(List<? extends Supplier<? extends Controller>> controllers) {
        for (Supplier<? extends Controller> each : controllers) {
            await(vertx.deployVerticle(
                    new ControllerVerticle(each, store.context(Schedulers.io(), Clock.systemUTC()), failures::add)));
        }
    }

    /** Waits until the World matches a predicate, and returns it. */
    private World await(Predicate<World> reached) {
        CompletableFuture<World> found = new CompletableFuture<>();
        Disposable watch = store.context(Schedulers.io(), Clock.systemUTC())
                .hub()
                .events(0, Scope.all(), Schedulers.io())
                .takeUntil(event -> {
                    World world = store.world();
                    return reached.test(world) && found.complete(world);
                })
                .subscribe(event -> {}, found::completeExceptionally);
        try {
            return StateStoreFixture.get(found);
        } finally {
            watch.dispose();
        }
    }

    /** Waits until no controller has reconciled for 200 ms. */
    private void awaitQuiet() {
        Flowable.interval(100, TimeUnit.MILLISECONDS)
                .onBackpressureDrop()
                .map(tick -> store.registry().find("mooring.controller.reconciles").counters().stream()
                        .mapToDouble(Counter::count)
                        .sum())
                .buffer(3, 1)
                .filter(counts -> counts.get(0).equals(counts.get(2)))
                .take(1)
                .ignoreElements()
                .blockingAwait();
    }

    private ObjectNode object(String line) {
        CaseLine parsed = CaseLine.parse(line);
        ObjectNode object = objects.of(parsed);
        object.withObject("/metadata").put("uid", "uid-" + parsed.name());
        return object;
    }

    private static Proposal creation(ObjectNode object) {
        return Proposal.by("tester", "Put").put(WorldFixture.draft(object)).build();
    }

    private void put(String line) {
        store.put(object(line));
    }

    /** Creates objects concurrently, one thread per list, and waits until all are committed. */
    private void putAtOnce(List<List<String>> threads) {
        List<CompletableFuture<Outcome>> outcomes = threads.parallelStream()
                .flatMap(lines -> lines.stream().map(line -> store.propose(creation(object(line)))))
                .toList();
        outcomes.forEach(outcome -> assertThat(StateStoreFixture.get(outcome)).isInstanceOf(Outcome.Committed.class));
    }

    private List<String> shuffled(String pattern) {
        List<String> lines = new ArrayList<>(IntStream.rangeClosed(1, OBJECTS)
                .mapToObj(i -> pattern.replace("#", Integer.toString(i)))
                .toList());
        Collections.shuffle(lines, random);
        return lines;
    }

    private static Claim claim(World world, String name) {
        return Claim.of(world.get(Claim.key("default", name)).orElseThrow());
    }

    private static Volume volume(World world, String name) {
        return Volume.of(world.get(Volume.key(name)).orElseThrow());
    }

    private static long countBound(World world) {
        return world.stream(Scope.resource(StorageNames.CLAIMS))
                .map(Claim::of)
                .filter(claim -> claim.phase().equals("Bound"))
                .count();
    }

    private static boolean hasBoundCondition(World world, String claim) {
        return world.get(Claim.key("default", claim))
                .map(Claim::of)
                .filter(found -> Conditions.find(found.tree(), "Bound").isPresent())
                .isPresent();
    }

    /** J1. */
    @Test
    void claims_twoForOneVolume_oneIsBoundAndTheOtherGetsTheNextVolume() {
        deploy(StorageControllers.all());
        put("pv v1 1Gi Available");
        putAtOnce(List.of(List.of("pvc a 1Gi Pending"), List.of("pvc b 1Gi Pending")));
        World world = await(
                found -> countBound(found) == 1 && (hasBoundCondition(found, "a") || hasBoundCondition(found, "b")));
        Claim waiting = claim(world, "a").phase().equals("Bound") ? claim(world, "b") : claim(world, "a");
        assertThat(waiting.phase()).isEqualTo("Pending");
        put("pv v2 1Gi Available");
        await(found -> countBound(found) == 2);
    }

    /** J2, with the volumes created first. */
    @Test
    void claims_createdAfterVolumes_areBoundToVolumesOfTheirSize() {
        deploy(StorageControllers.all());
        putAtOnce(List.of(shuffled("pv v# #Gi Pending")));
        await(world -> all(world, volume -> volume.phase().equals("Available")));
        // Too small for any claim; its status is written after the binder has received all changes before it.
        put("pv last 1Mi Pending");
        await(world -> volume(world, "last").phase().equals("Available"));
        awaitQuiet();
        putAtOnce(List.of(shuffled("pvc c# #Gi Pending")));
        assertAllBoundBySize();
    }

    /** J2, with the claims created first. */
    @Test
    void volumes_createdAfterClaims_areBoundToClaimsOfTheirSize() {
        deploy(StorageControllers.all());
        putAtOnce(List.of(shuffled("pvc c# #Gi Pending")));
        await(world -> IntStream.rangeClosed(1, OBJECTS).allMatch(i -> hasBoundCondition(world, "c" + i)));
        // Too large for any volume; its status is written after the binder has received all changes before it.
        put("pvc last 1000Gi Pending");
        await(world -> hasBoundCondition(world, "last"));
        awaitQuiet();
        putAtOnce(List.of(shuffled("pv v# #Gi Available")));
        assertAllBoundBySize();
    }

    private void assertAllBoundBySize() {
        World world = await(found -> countBound(found) == OBJECTS);
        for (int i = 1; i <= OBJECTS; i++) {
            assertThat(claim(world, "c" + i).volumeName()).isEqualTo("v" + i);
        }
    }

    /** J2, with all objects created at once: any pairing is right, but no volume is bound twice or left over. */
    @Test
    void claimsAndVolumes_createdConcurrently_areAllBoundOnce() {
        deploy(StorageControllers.all());
        putAtOnce(List.of(shuffled("pvc c# 1Gi Pending"), shuffled("pv v# 1Gi Available")));
        World world = await(found -> countBound(found) == OBJECTS);
        assertAllBoundOnce(world);
    }

    /** I2, with two independent controllers. */
    @Test
    void volumes_twoConcurrentControllers_areBoundOnce() {
        deploy(List.of(PersistentVolumeController::new, PersistentVolumeController::new));
        putAtOnce(List.of(shuffled("pvc c# 1Gi Pending"), shuffled("pv v# 1Gi Available")));
        assertAllBoundOnce(await(found -> countBound(found) == OBJECTS));
    }

    private static void assertAllBoundOnce(World world) {
        Set<String> volumes = new HashSet<>();
        world.stream(Scope.resource(StorageNames.CLAIMS))
                .map(Claim::of)
                .forEach(each -> assertThat(volumes.add(each.volumeName())).isTrue());
        assertThat(all(world, each -> each.phase().equals("Bound"))).isTrue();
    }

    private static boolean all(World world, Predicate<Volume> matches) {
        return world.stream(Scope.resource(StorageNames.VOLUMES))
                .map(Volume::of)
                .allMatch(matches);
    }

    /** Races 3, 5 and 6: claims and volumes are removed and recreated while they are being bound. */
    @Test
    void claimsAndVolumes_recreatedWhileBinding_endConsistent() {
        deploy(List.of(PersistentVolumeController::new, PersistentVolumeController::new));
        for (int round = 0; round < 10; round++) {
            String uidSuffix = "-of-round-" + round;
            List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
            for (int i = 1; i <= OBJECTS; i++) {
                outcomes.add(createIfAbsent(object("pvc c" + i + " 1Gi Pending"), uidSuffix));
                outcomes.add(createIfAbsent(object("pv v" + i + " 1Gi Available"), uidSuffix));
                ObjectKey removed = random.nextBoolean() ? Claim.key("default", "c" + i) : Volume.key("v" + i);
                store.world()
                        .get(removed)
                        .map(seen ->
                                Proposal.by("tester", "Removed").remove(seen).build())
                        .ifPresent(removal -> outcomes.add(store.propose(removal)));
            }
            outcomes.forEach(StateStoreFixture::get);
        }
        await(world -> world.stream(Scope.resource(StorageNames.CLAIMS))
                .map(Claim::of)
                .allMatch(each -> !each.phase().equals("Bound") || isConsistent(world, each)));
    }

    private CompletableFuture<Outcome> createIfAbsent(ObjectNode object, String uidSuffix) {
        ObjectNode metadata = object.withObject("/metadata");
        metadata.put("uid", metadata.path("uid").asText() + uidSuffix);
        return store.propose(Proposal.by("tester", "Created")
                .create(WorldFixture.draft(object))
                .build());
    }

    private static boolean isConsistent(World world, Claim claim) {
        return world.get(Volume.key(claim.volumeName()))
                .map(Volume::of)
                .flatMap(Volume::claimRef)
                .filter(ref -> ref.uid().equals(claim.uid()))
                .isPresent();
    }

    /** Race 4. */
    @Test
    void claim_volumeRemoved_becomesLost() {
        deploy(StorageControllers.all());
        put("pv v 1Gi Available");
        put("pvc c 1Gi Pending");
        await(world -> countBound(world) == 1);
        store.remove("persistentvolumes/v");
        await(world -> claim(world, "c").phase().equals("Lost"));
    }

    /** J5. */
    @Test
    void claim_recreated_doesNotGetReleasedVolumeOfItsPredecessor() {
        deploy(StorageControllers.all());
        put("pv v 1Gi Available");
        put("pvc c 1Gi Pending");
        await(world -> countBound(world) == 1);
        store.remove("persistentvolumeclaims/default/c");
        ObjectNode recreated = object("pvc c 1Gi Pending");
        recreated.withObject("/metadata").put("uid", "uid-again");
        store.put(recreated);
        World world = await(found -> volume(found, "v").phase().equals("Released") && hasBoundCondition(found, "c"));
        assertThat(claim(world, "c").phase()).isEqualTo("Pending");
        assertThat(volume(world, "v").claimRef().orElseThrow().uid()).isEqualTo("uid-c");
    }

    /** J6. */
    @Test
    void volume_reservedInAnotherNamespace_isBoundToThatClaim() {
        deploy(StorageControllers.all());
        ObjectNode reserved = object("pv v 1Gi Available ref=c");
        reserved.withObject("/spec/claimRef").put("namespace", "other");
        store.put(reserved);
        put("pvc c 1Gi Pending");
        await(world -> hasBoundCondition(world, "c"));
        ObjectNode other = object("pvc c 1Gi Pending");
        other.withObject("/metadata").put("namespace", "other").put("uid", "uid-there");
        store.put(other);
        World world = await(found -> countBound(found) == 1);
        assertThat(claim(world, "c").phase()).isEqualTo("Pending");
        assertThat(volume(world, "v").claimRef().orElseThrow().uid()).isEqualTo("uid-there");
    }

    /** J7. */
    @Test
    void volume_claimRefRemoved_becomesAvailable() {
        ObjectNode volume = released();
        volume.withObject("/spec").remove("claimRef");
        store.put(volume);
        await(world -> volume(world, "v").phase().equals("Available"));
        put("pvc next 1Gi Pending");
        await(world -> countBound(world) == 1);
    }

    /** J8. */
    @Test
    void volume_claimRefUidRemoved_isReservedForClaimOfThatName() {
        ObjectNode volume = released();
        ((ObjectNode) volume.at("/spec/claimRef")).remove(List.of("uid", "resourceVersion"));
        store.put(volume);
        await(world -> volume(world, "v").phase().equals("Available"));
        put("pvc next 1Gi Pending");
        await(world -> hasBoundCondition(world, "next"));
        ObjectNode recreated = object("pvc c 1Gi Pending");
        recreated.withObject("/metadata").put("uid", "uid-again");
        store.put(recreated);
        World world = await(found -> countBound(found) == 1);
        assertThat(claim(world, "c").volumeName()).isEqualTo("v");
        assertThat(claim(world, "next").phase()).isEqualTo("Pending");
    }

    private ObjectNode released() {
        deploy(StorageControllers.all());
        put("pv v 1Gi Available");
        put("pvc c 1Gi Pending");
        await(world -> countBound(world) == 1);
        store.remove("persistentvolumeclaims/default/c");
        World world = await(found -> volume(found, "v").phase().equals("Released"));
        return volume(world, "v").copy();
    }
}
