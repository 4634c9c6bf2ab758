package dev.mooring.control.cases;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.Controller;
import dev.mooring.control.ControllerVerticle;
import dev.mooring.control.LiveSpine;
import dev.mooring.control.Worlds;
import dev.mooring.control.bind.Binder;
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
 * Many at a time: the controllers as verticles on event loops, a real ledger, and writers on other threads. What must always hold is looked at
 * after every event of the log.
 */
final class RacesTest {
    private static final int MANY = 100;
    private static final long SEED = 4;

    private final Vertx vertx = Vertx.vertx();
    private final Queue<Throwable> deaths = new ConcurrentLinkedQueue<>();
    private final Random chance = new Random(SEED);
    private final CaseObjects objects = new CaseObjects(name -> "uid-" + name);
    private LiveSpine spine;

    @BeforeEach
    void open() throws IOException {
        spine = new LiveSpine();
        spine.put("{kind: Namespace, metadata: {name: default}}\n---\n{kind: Namespace, metadata: {name: other}}\n");
    }

    @AfterEach
    void close() throws IOException {
        StorageInvariants invariants = new StorageInvariants(World.EMPTY);
        long last = spine.world().revision();
        spine.parts(Schedulers.io(), Clock.systemUTC())
                .hub()
                .events(0, Scope.all(), Schedulers.io())
                .takeUntil(event -> event.event().revision() >= last)
                .blockingForEach(event -> invariants.witness(event.event()));
        await(vertx.close());
        spine.close();
        assertThat(deaths).isEmpty();
    }

    private static <T> T await(Future<T> future) {
        return LiveSpine.get(future.toCompletionStage().toCompletableFuture());
    }

    private void deploy(List<? extends Supplier<? extends Controller>> controllers) {
        for (Supplier<? extends Controller> each : controllers) {
            await(vertx.deployVerticle(
                    new ControllerVerticle(each, spine.parts(Schedulers.io(), Clock.systemUTC()), deaths::add)));
        }
    }

    /** Waits for a world in which something is so. */
    private World await(Predicate<World> reached) {
        CompletableFuture<World> found = new CompletableFuture<>();
        Disposable watch = spine.parts(Schedulers.io(), Clock.systemUTC())
                .hub()
                .events(0, Scope.all(), Schedulers.io())
                .takeUntil(event -> {
                    World world = spine.world();
                    return reached.test(world) && found.complete(world);
                })
                .subscribe(event -> {}, found::completeExceptionally);
        try {
            return LiveSpine.get(found);
        } finally {
            watch.dispose();
        }
    }

    /** Waits until nobody has looked at anything for a while. */
    private void awaitQuiet() {
        Flowable.interval(100, TimeUnit.MILLISECONDS)
                .onBackpressureDrop()
                .map(tick -> spine.registry().find("mooring.controller.reconciles").counters().stream()
                        .mapToDouble(Counter::count)
                        .sum())
                .buffer(3, 1)
                .filter(looks -> looks.get(0).equals(looks.get(2)))
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
        return Proposal.by("tester", "Put").put(Worlds.draft(object)).build();
    }

    private void put(String line) {
        spine.put(object(line));
    }

    /** Sends all at once, from as many threads as there are lists, and waits until they have happened. */
    private void putAtOnce(List<List<String>> threads) {
        List<CompletableFuture<Outcome>> answers = threads.parallelStream()
                .flatMap(lines -> lines.stream().map(line -> spine.propose(creation(object(line)))))
                .toList();
        answers.forEach(answer -> assertThat(LiveSpine.get(answer)).isInstanceOf(Outcome.Committed.class));
    }

    private List<String> shuffled(String pattern) {
        List<String> lines = new ArrayList<>(IntStream.rangeClosed(1, MANY)
                .mapToObj(i -> pattern.replace("#", Integer.toString(i)))
                .toList());
        Collections.shuffle(lines, chance);
        return lines;
    }

    private static Claim claim(World world, String name) {
        return Claim.of(world.get(Claim.key("default", name)).orElseThrow());
    }

    private static Volume volume(World world, String name) {
        return Volume.of(world.get(Volume.key(name)).orElseThrow());
    }

    private static long bound(World world) {
        return world.stream(Scope.resource(StorageNames.CLAIMS))
                .map(Claim::of)
                .filter(claim -> claim.phase().equals("Bound"))
                .count();
    }

    private static boolean says(World world, String claim) {
        return world.get(Claim.key("default", claim))
                .map(Claim::of)
                .filter(found -> Conditions.find(found.tree(), "Bound").isPresent())
                .isPresent();
    }

    /** J1. */
    @Test
    void oneOfTwoClaimsGetsTheOnlyVolumeAndTheOtherTheNextOne() {
        deploy(StorageControllers.all());
        put("pv v1 1Gi Available");
        putAtOnce(List.of(List.of("pvc a 1Gi Pending"), List.of("pvc b 1Gi Pending")));
        World world = await(found -> bound(found) == 1 && (says(found, "a") || says(found, "b")));
        Claim waiting = claim(world, "a").phase().equals("Bound") ? claim(world, "b") : claim(world, "a");
        assertThat(waiting.phase()).isEqualTo("Pending");
        put("pv v2 1Gi Available");
        await(found -> bound(found) == 2);
    }

    /** J2, when the volumes are there first. */
    @Test
    void eachOfManyClaimsFindsTheVolumeOfItsSize() {
        deploy(StorageControllers.all());
        putAtOnce(List.of(shuffled("pv v# #Gi Pending")));
        await(world -> all(world, volume -> volume.phase().equals("Available")));
        awaitQuiet();
        putAtOnce(List.of(shuffled("pvc c# #Gi Pending")));
        assertPerfect();
    }

    /** J2, when the claims are there first. */
    @Test
    void eachOfManyVolumesFindsTheClaimOfItsSize() {
        deploy(StorageControllers.all());
        putAtOnce(List.of(shuffled("pvc c# #Gi Pending")));
        await(world -> IntStream.rangeClosed(1, MANY).allMatch(i -> says(world, "c" + i)));
        awaitQuiet();
        putAtOnce(List.of(shuffled("pv v# #Gi Available")));
        assertPerfect();
    }

    private void assertPerfect() {
        World world = await(found -> bound(found) == MANY);
        for (int i = 1; i <= MANY; i++) {
            assertThat(claim(world, "c" + i).volumeName()).isEqualTo("v" + i);
        }
    }

    /** J2, when all come at once: who is first decides, but nobody is given twice and nothing is let go. */
    @Test
    void manyClaimsAndVolumesAtOnceLoseNothing() {
        deploy(StorageControllers.all());
        putAtOnce(List.of(shuffled("pvc c# 1Gi Pending"), shuffled("pv v# 1Gi Available")));
        World world = await(found -> bound(found) == MANY);
        assertNoneTwice(world);
    }

    /** I2, with a second controller that does not know of the first. */
    @Test
    void twoBindersAtOnceDoNotGiveAVolumeTwice() {
        deploy(List.of(Binder::new, Binder::new));
        putAtOnce(List.of(shuffled("pvc c# 1Gi Pending"), shuffled("pv v# 1Gi Available")));
        assertNoneTwice(await(found -> bound(found) == MANY));
    }

    private static void assertNoneTwice(World world) {
        Set<String> given = new HashSet<>();
        world.stream(Scope.resource(StorageNames.CLAIMS))
                .map(Claim::of)
                .forEach(each -> assertThat(given.add(each.volumeName())).isTrue());
        assertThat(all(world, each -> each.phase().equals("Bound"))).isTrue();
    }

    private static boolean all(World world, Predicate<Volume> are) {
        return world.stream(Scope.resource(StorageNames.VOLUMES))
                .map(Volume::of)
                .allMatch(are);
    }

    /** Races 3, 5 and 6: what is being bound goes and comes again meanwhile. */
    @Test
    void claimsAndVolumesThatComeAndGoEndWhole() {
        deploy(List.of(Binder::new, Binder::new));
        for (int round = 0; round < 10; round++) {
            String identity = "-of-round-" + round;
            List<CompletableFuture<Outcome>> answers = new ArrayList<>();
            for (int i = 1; i <= MANY; i++) {
                answers.add(createIfAbsent(object("pvc c" + i + " 1Gi Pending"), identity));
                answers.add(createIfAbsent(object("pv v" + i + " 1Gi Available"), identity));
                ObjectKey gone = chance.nextBoolean() ? Claim.key("default", "c" + i) : Volume.key("v" + i);
                spine.world()
                        .get(gone)
                        .map(seen ->
                                Proposal.by("tester", "Removed").remove(seen).build())
                        .ifPresent(removal -> answers.add(spine.propose(removal)));
            }
            answers.forEach(LiveSpine::get);
        }
        await(world -> world.stream(Scope.resource(StorageNames.CLAIMS))
                .map(Claim::of)
                .allMatch(each -> !each.phase().equals("Bound") || isWhole(world, each)));
    }

    private CompletableFuture<Outcome> createIfAbsent(ObjectNode object, String identity) {
        ObjectNode metadata = object.withObject("/metadata");
        metadata.put("uid", metadata.path("uid").asText() + identity);
        return spine.propose(
                Proposal.by("tester", "Created").create(Worlds.draft(object)).build());
    }

    private static boolean isWhole(World world, Claim claim) {
        return world.get(Volume.key(claim.volumeName()))
                .map(Volume::of)
                .flatMap(Volume::claimRef)
                .filter(ref -> ref.uid().equals(claim.uid()))
                .isPresent();
    }

    /** Race 4. */
    @Test
    void aClaimWhoseVolumeGoesIsLostAtOnce() {
        deploy(StorageControllers.all());
        put("pv v 1Gi Available");
        put("pvc c 1Gi Pending");
        await(world -> bound(world) == 1);
        spine.remove("persistentvolumes/v");
        await(world -> claim(world, "c").phase().equals("Lost"));
    }

    /** J5. */
    @Test
    void aClaimOfTheSameNameIsAnotherOne() {
        deploy(StorageControllers.all());
        put("pv v 1Gi Available");
        put("pvc c 1Gi Pending");
        await(world -> bound(world) == 1);
        spine.remove("persistentvolumeclaims/default/c");
        ObjectNode again = object("pvc c 1Gi Pending");
        again.withObject("/metadata").put("uid", "uid-again");
        spine.put(again);
        World world = await(found -> volume(found, "v").phase().equals("Released") && says(found, "c"));
        assertThat(claim(world, "c").phase()).isEqualTo("Pending");
        assertThat(volume(world, "v").claimRef().orElseThrow().uid()).isEqualTo("uid-c");
    }

    /** J6. */
    @Test
    void aVolumeKeptForAnotherNamespaceIsNotGivenHere() {
        deploy(StorageControllers.all());
        ObjectNode kept = object("pv v 1Gi Available ref=c");
        kept.withObject("/spec/claimRef").put("namespace", "other");
        spine.put(kept);
        put("pvc c 1Gi Pending");
        await(world -> says(world, "c"));
        ObjectNode there = object("pvc c 1Gi Pending");
        there.withObject("/metadata").put("namespace", "other").put("uid", "uid-there");
        spine.put(there);
        World world = await(found -> bound(found) == 1);
        assertThat(claim(world, "c").phase()).isEqualTo("Pending");
        assertThat(volume(world, "v").claimRef().orElseThrow().uid()).isEqualTo("uid-there");
    }

    /** J7. */
    @Test
    void aVolumeWhoseReferenceIsClearedIsOfferedAgain() {
        ObjectNode volume = released();
        volume.withObject("/spec").remove("claimRef");
        spine.put(volume);
        await(world -> volume(world, "v").phase().equals("Available"));
        put("pvc next 1Gi Pending");
        await(world -> bound(world) == 1);
    }

    /** J8. */
    @Test
    void aVolumeOfWhoseReferenceOnlyTheIdentityIsClearedGoesToTheClaimOfThatName() {
        ObjectNode volume = released();
        ((ObjectNode) volume.at("/spec/claimRef")).remove(List.of("uid", "resourceVersion"));
        spine.put(volume);
        await(world -> volume(world, "v").phase().equals("Available"));
        put("pvc next 1Gi Pending");
        await(world -> says(world, "next"));
        ObjectNode again = object("pvc c 1Gi Pending");
        again.withObject("/metadata").put("uid", "uid-again");
        spine.put(again);
        World world = await(found -> bound(found) == 1);
        assertThat(claim(world, "c").volumeName()).isEqualTo("v");
        assertThat(claim(world, "next").phase()).isEqualTo("Pending");
    }

    private ObjectNode released() {
        deploy(StorageControllers.all());
        put("pv v 1Gi Available");
        put("pvc c 1Gi Pending");
        await(world -> bound(world) == 1);
        spine.remove("persistentvolumeclaims/default/c");
        World world = await(found -> volume(found, "v").phase().equals("Released"));
        return volume(world, "v").copy();
    }
}
