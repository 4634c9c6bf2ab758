package dev.mooring.node.pod;

import dev.mooring.control.Controller;
import dev.mooring.model.view.Node;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.image.ImageLimits;
import dev.mooring.node.image.Images;
import dev.mooring.node.pod.PodParts.SandboxImage;
import dev.mooring.node.probe.Hooks;
import dev.mooring.node.probe.Probes;
import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerStreams;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/** The Pods of a node on an engine: what outlives a restart of their driver, put together. */
public final class Pods implements AutoCloseable {
    private final PodParts parts;
    private final EngineLink link;

    /**
     * What is handed in.
     *
     * @param node its name
     * @param instance whose containers they are; another Mooring on the same engine has another
     */
    public record Given(
            String node,
            String instance,
            ContainerRuntime runtime,
            ContainerBook book,
            ContainerSpecs specs,
            Random random) {}

    /** @param told of the engine's coming and going */
    public Pods(Given given, SandboxImage sandboxImage, WorkParts work, Consumer<EngineLink.State> told) {
        this(given, sandboxImage, work, new PodWakes(), told);
    }

    Pods(Given given, SandboxImage sandboxImage, WorkParts work, PodWakes wakes, Consumer<EngineLink.State> told) {
        String actor = "node/" + given.node();
        this.parts = new PodParts(
                given.node(),
                given.instance(),
                given.runtime(),
                given.book(),
                given.specs(),
                new Images(given.runtime(), work, actor, ImageLimits.DEFAULT),
                new Probes(given.runtime(), work, actor, given.random()),
                new Hooks(given.runtime(), work),
                sandboxImage,
                work,
                wakes,
                new TerminationMessages(given.specs(), given.runtime(), work, wakes),
                new Turns(PodParts.SANDBOX_REMOVALS_AT_ONCE, work.threads()));
        this.link = new EngineLink(given.runtime(), given.instance(), given.book(), wakes, work, told);
    }

    /** The book for a node, which knows from its Node whether there was ever an engine. */
    public static ContainerBook book(String node, WorkParts work) {
        return new ContainerBook(() -> work.world()
                .world()
                .get(Node.key(node))
                .map(Node::of)
                .filter(each -> !each.engineVersion().isEmpty())
                .isPresent());
    }

    /** What the driver works with. */
    PodParts parts() {
        return parts;
    }

    public Controller driver() {
        return new PodDriver(parts);
    }

    /** Begins to follow the engine. */
    public void start() {
        link.start();
    }

    /** A container of a Pod: the one that runs or ran last (0), or the one before it (1). */
    public Optional<ContainerFacts> find(String podUid, String container, int before) {
        return parts.book().find(podUid, container, before);
    }

    public ContainerStreams streams() {
        return parts.runtime();
    }

    @Override
    public void close() {
        link.close();
        parts.probes().close();
        parts.hooks().close();
        parts.runtime().close();
    }
}
