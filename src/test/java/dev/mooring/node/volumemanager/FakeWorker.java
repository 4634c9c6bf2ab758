package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import dev.mooring.volume.work.VolumeWorkResult;
import dev.mooring.volume.work.VolumeWorker;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A fake worker with a disk in memory. Records its calls; tests can replace their results. Thread-safe except for
 * {@link #next}.
 */
final class FakeWorker implements VolumeWorker {
    interface Behavior {
        VolumeWorkResult run(VolumeWork work) throws VolumeWorkException, InterruptedException;
    }

    final List<VolumeWork> calls = new CopyOnWriteArrayList<>();
    final Set<String> disk = new ConcurrentSkipListSet<>();
    final Set<String> inUse = new ConcurrentSkipListSet<>();
    final List<String> concurrentlyUsed = new CopyOnWriteArrayList<>();
    private final Deque<Behavior> behaviors = new ArrayDeque<>();
    private final String provisioner;

    FakeWorker(String provisioner) {
        this.provisioner = provisioner;
    }

    /** Sets the behavior of the next call, instead of success. */
    FakeWorker next(Behavior behavior) {
        behaviors.add(behavior);
        return this;
    }

    @Override
    public String provisioner() {
        return provisioner;
    }

    @Override
    public VolumeWorkResult perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        calls.add(work);
        if (!inUse.add(work.volume())) {
            concurrentlyUsed.add(work.volume());
        }
        try {
            Behavior behavior;
            synchronized (behaviors) {
                behavior = behaviors.isEmpty() ? this::succeed : behaviors.poll();
            }
            return behavior.run(work);
        } finally {
            inUse.remove(work.volume());
        }
    }

    VolumeWorkResult succeed(VolumeWork work) {
        switch (work.work()) {
            case PROVISION -> disk.add(work.path());
            case DELETE -> disk.remove(work.path());
            default -> {}
        }
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("hostPath").put("path", "/base/" + work.path());
        return new VolumeWorkResult(
                Optional.of(source), work.bytes(), VolumeWorkResult.FileSystemSize.FITS, Optional.empty());
    }
}
