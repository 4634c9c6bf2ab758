package dev.mooring.node.pods;

import dev.mooring.control.Controller;
import dev.mooring.control.EffectExecutor;
import dev.mooring.model.view.Node;
import dev.mooring.node.KeyedExecutor;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.ImageManager;
import dev.mooring.node.pods.PodContext.SandboxImage;
import dev.mooring.node.probe.Hooks;
import dev.mooring.node.probe.ProbeManager;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerStreams;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The components that run a node's Pods on an engine and outlive a restart of the Pod controller. */
public final class PodRuntime implements AutoCloseable {
    private final PodContext context;
    private final PodWorker worker;
    private final RuntimeWatcher watcher;

    /**
     * External dependencies.
     *
     * @param node name of the node
     * @param instance value of the instance label; differs from that of another Mooring on the same engine
     */
    public record Dependencies(
            String node,
            String instance,
            ContainerRuntime runtime,
            ContainerCache cache,
            ContainerSpecs specs,
            Random random) {}

    /**
     * Creates the components.
     *
     * @param listener called when the engine becomes present or absent
     */
    public PodRuntime(
            Dependencies dependencies,
            SandboxImage sandboxImage,
            WorkContext work,
            Consumer<RuntimeWatcher.State> listener) {
        this(dependencies, sandboxImage, work, new PodRequeue(), listener);
    }

    PodRuntime(
            Dependencies dependencies,
            SandboxImage sandboxImage,
            WorkContext work,
            PodRequeue requeue,
            Consumer<RuntimeWatcher.State> listener) {
        String actor = "node/" + dependencies.node();
        this.context = new PodContext(
                dependencies.node(),
                dependencies.instance(),
                dependencies.runtime(),
                dependencies.cache(),
                dependencies.specs(),
                new ImageManager(dependencies.runtime(), work, actor, ImageManager.ImageLimits.DEFAULT),
                new ProbeManager(dependencies.runtime(), work, actor, dependencies.random()),
                new Hooks(dependencies.runtime(), work),
                sandboxImage,
                work,
                requeue,
                new TerminationMessages(dependencies.specs(), dependencies.runtime(), work, requeue),
                new ConcurrentHashMap<>(),
                new KeyedExecutor(PodContext.SANDBOX_REMOVALS_AT_ONCE, work.threads()));
        this.worker = new PodWorker(context);
        this.watcher = new RuntimeWatcher(
                dependencies.runtime(), dependencies.instance(), dependencies.cache(), requeue, work, listener);
    }

    /** Creates a cache that reads from the Node whether the node ever had an engine. */
    public static ContainerCache newCache(String node, WorkContext work) {
        return new ContainerCache(() -> work.world()
                .world()
                .get(Node.key(node))
                .map(Node::of)
                .filter(each -> !each.engineVersion().isEmpty())
                .isPresent());
    }

    /** Returns the components. */
    PodContext context() {
        return context;
    }

    public Controller newController() {
        return new PodController(context);
    }

    /** Returns the executor of the controllers' effects. */
    public EffectExecutor effects() {
        return worker;
    }

    /** Starts to watch the engine. */
    public void start() {
        watcher.start();
    }

    /** Returns a container of a Pod: the current or last attempt (0), or the one before it (1). */
    public Optional<ContainerFacts> find(String podUid, String container, int before) {
        return context.cache().find(podUid, container, before);
    }

    public ContainerStreams streams() {
        return context.runtime();
    }

    @Override
    public void close() {
        watcher.close();
        context.probes().close();
        context.hooks().close();
        context.runtime().close();
    }
}
