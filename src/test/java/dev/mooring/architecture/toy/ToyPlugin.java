package dev.mooring.architecture.toy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkResult;
import dev.mooring.volume.work.VolumeWorker;
import dev.mooring.volume.work.VolumeWorkers;
import dev.mooring.volume.work.WorkerSettings;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** A plugin and a provisioner that only record their volumes. */
public final class ToyPlugin implements VolumePlugin {
    /** Boxes that the provisioner has created. */
    static final Set<String> BOXES = new TreeSet<>();

    /** Boxes that are set up for a Pod, each with the server that the tear-down gets. */
    static final Set<String> SET_UP = new TreeSet<>();

    /** Found by {@link java.util.ServiceLoader}. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginContext context) {
            return new ToyPlugin();
        }
    }

    /** Found by {@link java.util.ServiceLoader}. */
    public static final class WorkerFactory implements VolumeWorkers.Factory {
        @Override
        public VolumeWorker make(WorkerSettings settings) {
            return new ToyWorker();
        }
    }

    private static final class ToyWorker implements VolumeWorker {
        @Override
        public String provisioner() {
            return ToySource.PROVISIONER;
        }

        @Override
        public VolumeWorkResult perform(VolumeWork work) {
            switch (work.work()) {
                case PROVISION -> BOXES.add(work.uid());
                case DELETE -> BOXES.remove(work.uid());
                default -> throw new UnsupportedOperationException(work.work().toString());
            }
            return new VolumeWorkResult(
                    Optional.of(ToySource.source(work.uid())),
                    work.bytes(),
                    VolumeWorkResult.FileSystemSize.FITS,
                    Optional.empty());
        }
    }

    @Override
    public String name() {
        return ToySource.PLUGIN;
    }

    @Override
    public boolean supports(JsonNode source) {
        return new ToySource().isIn(source);
    }

    @Override
    public WorkerPoolKey workerPool(VolumeSpec volume) {
        return WorkerPoolKey.server(new ToySource().server(volume.source()));
    }

    @Override
    public SetUpResult setUp(SetUpRequest request, OperationProgress progress) {
        SET_UP.add(request.volume().name() + " on "
                + new ToySource().server(request.volume().source()));
        return SetUpResult.at(request.target());
    }

    @Override
    public void tearDown(TearDownRequest request, OperationProgress progress) {
        SET_UP.remove(request.name() + " on " + request.server());
    }
}
