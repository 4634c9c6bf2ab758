package dev.mooring.bench;

import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Measures the heap per object in the World, with its key and its share of the tree, relative to its JSON. */
final class MemoryBenchmark implements Benchmark {
    private static final int[] JSON_BYTES = {200, 400, 1000};
    private static final double GOAL = 3;

    /** Events per World, like a batch. */
    private static final int BATCH = 64;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public String title() {
        return "Heap per stored object";
    }

    @Override
    public void run(BenchmarkRun run) {
        int objects = run.choose(200_000, 50_000);
        for (int size : JSON_BYTES) {
            Measurements heap = new Measurements();
            Measurements json = new Measurements();
            for (int round = 0; round < run.choose(3, 1); round++) {
                run.step("objects of " + size + " bytes, round " + (round + 1));
                long before = usedHeap();
                World world = load(objects, size);
                heap.add((usedHeap() - before) / (double) objects);
                json.add(jsonBytes(world) / (double) objects);
            }
            run.report(Figure.of(objects + " objects of " + size + " bytes", MeasureUnit.BYTES, heap)
                    .against("their JSON", json)
                    .goal(Goal.ratioBelow(GOAL)));
        }
    }

    /** Loads objects in random order, which leaves the nodes of the tree as full as usual. */
    private static World load(int objects, int jsonBytes) {
        Random random = new Random(4);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < objects; i++) {
            order.add(i);
        }
        Collections.shuffle(order, random);
        World.Editor editor = World.EMPTY.edit();
        for (int number : order) {
            long revision = editor.revision() + 1;
            StoredObject object = SampleObjects.draft(number, jsonBytes, random).at(revision);
            editor.apply(new Event(
                    revision, Instant.EPOCH, "ClaimCreated", "bench", Cause.none(), List.of(Change.put(object, 0))));
            if (revision % BATCH == 0) {
                editor = editor.done().edit();
            }
        }
        return editor.done();
    }

    private static long jsonBytes(World world) {
        long bytes = 0;
        for (StoredObject object : world.list(Scope.all())) {
            bytes += object.json().length;
        }
        return bytes;
    }

    private static long usedHeap() {
        long used = Long.MAX_VALUE;
        // Repeats until the heap no longer shrinks: a collection may free objects that keep others alive.
        while (true) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            long now = runtime.totalMemory() - runtime.freeMemory();
            if (now >= used - 4096) {
                return Math.min(now, used);
            }
            used = now;
        }
    }
}
