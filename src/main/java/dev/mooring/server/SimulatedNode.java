package dev.mooring.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.EffectExecutor;
import dev.mooring.control.persistentvolume.SourceCheck;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.node.pods.PodsWithoutRuntime;
import dev.mooring.node.status.VolumesInUse;
import dev.mooring.node.volumemanager.NodeContext;
import dev.mooring.node.volumemanager.OperationExecutor;
import dev.mooring.node.volumemanager.OperationObserver;
import dev.mooring.node.volumemanager.PodStateProvider;
import dev.mooring.node.volumemanager.Populator;
import dev.mooring.node.volumemanager.PreUnmountHook;
import dev.mooring.node.volumemanager.Reconciler;
import dev.mooring.node.volumemanager.VolumeOperationController;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.node.volumemanager.WorkExecutor;
import dev.mooring.node.volumemanager.WorkLimits;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import dev.mooring.volume.work.VolumeWorkResult;
import dev.mooring.volume.work.VolumeWorkResult.FileSystemSize;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The volume components of a node in a simulation: the node's own controllers, with plugins and workers that succeed
 * without touching the machine. Runs no containers.
 */
final class SimulatedNode {
    private static final String DEVICE = "/dev/simulated";

    private final String name;
    private final WorkContext work;
    private final Map<String, Map<String, String>> provisioning;
    private final Set<String> failingMounts;
    private final NodeContext context;

    /** Runs a controller in the simulation. */
    interface Runner {
        void run(Supplier<? extends Controller> controllers, EffectExecutor effects);
    }

    /**
     * Creates the components.
     *
     * @param provisioning class parameters for classes that do not set them, by provisioner
     * @param failingMounts names of volumes that cannot be mounted
     */
    SimulatedNode(
            String name,
            Path root,
            WorkContext work,
            Map<String, Map<String, String>> provisioning,
            Set<String> failingMounts) {
        this.name = name;
        this.work = work;
        this.provisioning = provisioning;
        this.failingMounts = failingMounts;
        NodeLayout layout = new NodeLayout(root);
        VolumePlugins real = VolumePlugins.load(new PluginContext(
                layout,
                absent(Mounter.class),
                absent(CommandRunner.class),
                absent(SystemCalls.class),
                key -> work.world().world().get(key).map(StoredObject::toTree),
                work.clock(),
                Duration.ofMinutes(1)));
        VolumePlugins simulated = new VolumePlugins(real.all().stream()
                .map(each -> each instanceof DevicePlugin device
                        ? new SimulatedDevicePlugin(device)
                        : new SimulatedPlugin(each))
                .toList());
        this.context = new NodeContext(name, layout, simulated, PodStateProvider.NONE, PreUnmountHook.NONE);
    }

    /** Returns a port whose every use fails: nothing in a simulation may reach the machine. */
    private static <T> T absent(Class<T> port) {
        return port.cast(Proxy.newProxyInstance(port.getClassLoader(), new Class<?>[] {port}, (self, method, given) -> {
            throw new IllegalStateException("A simulation has no machine: " + method.getName());
        }));
    }

    void start(Runner runner) {
        WorkExecutor worker = new WorkExecutor(name, this::perform, WorkLimits.DEFAULT, work);
        OperationExecutor operations = new OperationExecutor(context, OperationObserver.NONE, WorkLimits.DEFAULT, work);
        runner.run(() -> new VolumeOperationController(name), worker);
        runner.run(() -> new Populator(name, context.plugins(), context.containers()), EffectExecutor.NONE);
        runner.run(() -> new Reconciler(context), operations);
        runner.run(() -> new VolumesInUse(name), EffectExecutor.NONE);
        runner.run(() -> new PodsWithoutRuntime(name), EffectExecutor.NONE);
    }

    /** Succeeds with the result that the controller expects. */
    private VolumeWorkResult perform(VolumeWork job) throws VolumeWorkException {
        return switch (job.work()) {
            case PROVISION ->
                new VolumeWorkResult(Optional.of(provisioned(job)), job.bytes(), FileSystemSize.FITS, Optional.empty());
            case DELETE -> new VolumeWorkResult(Optional.empty(), 0, FileSystemSize.FITS, Optional.empty());
            case SCRUB, GROW -> new VolumeWorkResult(job.source(), job.bytes(), FileSystemSize.FITS, Optional.empty());
        };
    }

    private ObjectNode provisioned(VolumeWork job) throws VolumeWorkException {
        var world = work.world().world();
        return world.stream(Scope.resource(StorageNames.OPERATIONS))
                .map(VolumeOperation::of)
                .filter(each ->
                        each.volume().equals(job.volume()) && each.node().equals(name))
                .findFirst()
                .flatMap(each ->
                        new SourceCheck(world, each, world.get(Node.key(name)).map(Node::of), provisioning).expected())
                .orElseThrow(() -> new VolumeWorkException(
                        VolumeWorkException.BASE_MISSING,
                        "The Node " + name + " does not say where " + job.provisioner() + " creates volumes"));
    }

    private class SimulatedPlugin extends PluginWrapper {
        SimulatedPlugin(VolumePlugin real) {
            super(real);
        }

        @Override
        public SetUpResult setUp(SetUpRequest request, OperationProgress progress) throws VolumeException {
            if (failingMounts.contains(request.volume().name())) {
                throw VolumeException.clean(
                        "Simulated",
                        "The simulation was told that " + request.volume().name() + " cannot be mounted");
            }
            return SetUpResult.at(request.target());
        }

        @Override
        public void tearDown(TearDownRequest request, OperationProgress progress) {}
    }

    private final class SimulatedDevicePlugin extends SimulatedPlugin implements DevicePlugin {
        private final DevicePlugin real;

        SimulatedDevicePlugin(DevicePlugin real) {
            super(real);
            this.real = real;
        }

        @Override
        public AttachMode attachMode() {
            return real.attachMode();
        }

        @Override
        public String attach(VolumeSpec volume, OperationProgress progress) {
            return DEVICE;
        }

        @Override
        public void detach(VolumeSpec volume, OperationProgress progress) {}

        @Override
        public DeviceState mountDevice(
                VolumeSpec volume, String devicePath, Access access, OperationProgress progress) {
            return new DeviceState(devicePath, Optional.of(context.layout().globalMount(name(), volume.name())));
        }

        @Override
        public void unmountDevice(VolumeSpec volume, DeviceState state, OperationProgress progress) {}

        @Override
        public Optional<Long> expand(VolumeSpec volume, DeviceState state, OperationProgress progress) {
            return Optional.of(volume.bytes());
        }
    }
}
