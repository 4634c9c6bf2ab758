package dev.mooring.node.work;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import dev.mooring.volume.work.VolumeWorker;
import dev.mooring.volume.work.WorkDone;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;

/** A worker with a disk in memory, that records what was asked of it and can be told what to do instead. Thread-safe but for telling. */
final class FakeWorker implements VolumeWorker {
    interface Turn {
        WorkDone take(VolumeWork work) throws VolumeWorkException, InterruptedException;
    }

    final List<VolumeWork> asked = new CopyOnWriteArrayList<>();
    final Set<String> disk = new ConcurrentSkipListSet<>();
    final Set<String> working = new ConcurrentSkipListSet<>();
    final List<String> clashes = new CopyOnWriteArrayList<>();
    private final Deque<Turn> turns = new ArrayDeque<>();
    private final String provisioner;

    FakeWorker(String provisioner) {
        this.provisioner = provisioner;
    }

    /** What to do the next time, instead of succeeding. */
    FakeWorker next(Turn turn) {
        turns.add(turn);
        return this;
    }

    @Override
    public String provisioner() {
        return provisioner;
    }

    @Override
    public WorkDone perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        asked.add(work);
        if (!working.add(work.volume())) {
            clashes.add(work.volume());
        }
        try {
            Turn turn;
            synchronized (turns) {
                turn = turns.isEmpty() ? this::succeed : turns.poll();
            }
            return turn.take(work);
        } finally {
            working.remove(work.volume());
        }
    }

    WorkDone succeed(VolumeWork work) {
        switch (work.work()) {
            case PROVISION -> disk.add(work.path());
            case DELETE -> disk.remove(work.path());
            default -> {}
        }
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("hostPath").put("path", "/base/" + work.path());
        return new WorkDone(Optional.of(source), work.bytes(), WorkDone.FileSystemSize.FITS, Optional.empty());
    }
}
