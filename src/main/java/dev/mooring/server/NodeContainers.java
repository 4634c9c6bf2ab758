package dev.mooring.server;

import dev.mooring.control.Controller;
import dev.mooring.control.EffectExecutor;
import dev.mooring.control.StoredJson;
import dev.mooring.host.ChildProcess;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Service;
import dev.mooring.node.WorldPort;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.PodNetworking;
import dev.mooring.node.container.ProcessCapabilities;
import dev.mooring.node.container.ResolvConf;
import dev.mooring.node.network.ServiceNetwork;
import dev.mooring.node.pods.ContainerCache;
import dev.mooring.node.pods.PodRuntime;
import dev.mooring.node.pods.RuntimeWatcher;
import dev.mooring.node.status.RuntimeStatusHolder;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.docker.DockerRuntime;
import dev.mooring.runtime.docker.DockerSettings;
import dev.mooring.runtime.docker.PauseImage;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Container components of this node. */
final class NodeContainers implements AutoCloseable {
    private final RuntimeStatusHolder runtimeStatus;
    private final DockerRuntime runtime;
    private final PodRuntime pods;
    private final LocalContainerAccess containerAccess;
    private final Optional<ServiceNetwork> serviceNetwork;

    /**
     * Creates the components.
     *
     * @param containerCache container cache that volume operations query
     */
    NodeContainers(
            Settings all,
            ContainerCache containerCache,
            NodeVolumeManager volumes,
            RuntimeStatusHolder runtimeStatus,
            WorkContext work,
            Random random) {
        String node = all.node();
        Settings.ContainerSettings settings = all.containers();
        this.runtimeStatus = runtimeStatus;
        this.runtime = DockerRuntime.connect(
                new DockerSettings(settings.host(), settings.tlsDirectory(), settings.deadline()));
        this.serviceNetwork = all.serviceNetwork()
                .map(range -> new ServiceNetwork(
                        range,
                        new ServiceNetwork.NetworkDependencies(
                                work.world()::world,
                                new ChildProcess(),
                                runtime::podNetworks,
                                () -> new ResolvConf().read().servers(),
                                work.threads(),
                                new Random(random.nextLong()))));
        ContainerSpecs specs = new ContainerSpecs(new ContainerSpecs.ContainerSpecContext(
                volumes.nodeContext().layout(),
                volumes.monitorContext().mounter(),
                volumes.monitorContext().calls(),
                volumes.subPaths(),
                key -> work.world().world().get(key).map(StoredObject::toTree),
                new ResolvConf()::read,
                networking(work.world()),
                () -> false,
                ProcessCapabilities::mayLowerOomScore,
                settings.pidsLimit().stream().mapToLong(Integer::longValue).findFirst()));
        String pauseImage = settings.pauseImage().orElse("");
        this.pods = new PodRuntime(
                new PodRuntime.Dependencies(node, instance(work.world(), node), runtime, containerCache, specs, random),
                () -> PauseImage.ensure(runtime, pauseImage),
                work,
                this::onRuntimeState);
        this.containerAccess = new LocalContainerAccess(
                node,
                runtime,
                (uid, container, attempt) ->
                        pods.find(uid, container, attempt == LocalContainerAccess.ContainerInstance.CURRENT ? 0 : 1),
                LocalContainerAccess.DEFAULT_SESSIONS);
    }

    /**
     * Returns the instance id. A new data directory is another instance, which does not own the containers of the
     * previous one.
     */
    private static String instance(WorldPort world, String node) {
        String installation = world.world()
                .get(ObjectKey.clusterWide("namespaces", "kube-system"))
                .map(StoredJson::uid)
                .orElse("");
        return installation + '.' + node;
    }

    private PodNetworking networking(WorldPort world) {
        return serviceNetwork
                .map(network -> new PodNetworking(
                        network::dnsServer,
                        () -> world.world()
                                .get(Service.key("default", "kubernetes"))
                                .map(Service::of),
                        namespace -> world.world().stream(Scope.namespace(Service.RESOURCE, namespace))
                                .map(Service::of)
                                .toList()))
                .orElse(PodNetworking.NONE);
    }

    /** Returns the network of Services, if this node serves it. */
    Optional<ServiceNetwork> serviceNetwork() {
        return serviceNetwork;
    }

    private void onRuntimeState(RuntimeWatcher.State state) {
        if (state instanceof RuntimeWatcher.State.Present present) {
            runtimeStatus.status(
                    new RuntimeStatusHolder.RuntimeStatus.Present(present.info().runtimeVersion()));
        } else if (state instanceof RuntimeWatcher.State.Absent absent) {
            runtimeStatus.status(new RuntimeStatusHolder.RuntimeStatus.Absent(absent.reason()));
        }
    }

    Controller driver() {
        return pods.newController();
    }

    /** Returns the executor of the controller's effects. */
    EffectExecutor effects() {
        return pods.effects();
    }

    /**
     * Returns the containers that name a volume of the engine, whether or not they belong to Pods. Does not call an
     * engine that is known to be absent: while it starts, it accepts connections and mounts volumes, but answers only
     * when they are mounted.
     */
    List<ContainerRuntime.VolumeUser> volumeUsers(String volume) throws EngineException, InterruptedException {
        if (runtimeStatus.status() instanceof RuntimeStatusHolder.RuntimeStatus.Absent absent) {
            throw new EngineException(EngineException.Kind.UNREACHABLE, absent.reason());
        }
        return runtime.volumeUsers(volume);
    }

    LocalContainerAccess containerAccess() {
        return containerAccess;
    }

    /** Starts to watch the container engine. */
    void start() {
        serviceNetwork.ifPresent(ServiceNetwork::start);
        pods.start();
    }

    @Override
    public void close() {
        serviceNetwork.ifPresent(ServiceNetwork::close);
        containerAccess.close();
        pods.close();
    }
}
