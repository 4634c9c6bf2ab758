package dev.mooring.cli;

import dev.mooring.cli.config.ContainerSettings;
import dev.mooring.control.Controller;
import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.node.WorldPort;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.MachineRights;
import dev.mooring.node.container.ResolvConf;
import dev.mooring.node.container.SpecParts;
import dev.mooring.node.pod.ContainerBook;
import dev.mooring.node.pod.EngineLink;
import dev.mooring.node.pod.Pods;
import dev.mooring.node.status.EngineSight;
import dev.mooring.node.status.NodeNews;
import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.docker.DockerRuntime;
import dev.mooring.runtime.docker.DockerSettings;
import dev.mooring.runtime.docker.PauseImage;
import java.util.Random;

/** What this machine runs containers with. */
final class NodeContainers implements AutoCloseable {
    private final NodeNews news;
    private final Pods pods;
    private final ContainerDoor door;

    /** @param book what the volumes ask about containers */
    NodeContainers(
            String node,
            ContainerSettings settings,
            ContainerBook book,
            NodeVolumes volumes,
            NodeNews news,
            WorkParts work,
            Random random) {
        this.news = news;
        DockerRuntime runtime = DockerRuntime.connect(
                new DockerSettings(settings.host(), settings.tlsDirectory(), settings.deadline()));
        ContainerSpecs specs = new ContainerSpecs(new SpecParts(
                volumes.parts().layout(),
                volumes.eyes().mounter(),
                volumes.eyes().calls(),
                volumes.subPaths(),
                key -> work.world().world().get(key).map(StoredJson::tree),
                new ResolvConf()::read,
                () -> false,
                MachineRights::mayFavour));
        String pauseImage = settings.pauseImage().orElse("");
        this.pods = new Pods(
                new Pods.Given(node, instance(work.world(), node), runtime, book, specs, random),
                () -> PauseImage.ensure(runtime, pauseImage),
                work,
                this::told);
        this.door = new ContainerDoor(
                node,
                runtime,
                (uid, container, attempt) ->
                        pods.find(uid, container, attempt == ContainerDoor.Attempt.CURRENT ? 0 : 1),
                ContainerDoor.DEFAULT_SESSIONS);
    }

    /** A data directory that was begun anew is another Mooring, and its containers are others. */
    private static String instance(WorldPort world, String node) {
        String installation = world.world()
                .get(ObjectKey.clusterWide("namespaces", "kube-system"))
                .map(StoredJson::uid)
                .orElse("");
        return installation + '.' + node;
    }

    private void told(EngineLink.State state) {
        if (state instanceof EngineLink.State.Present present) {
            news.engine(new EngineSight.Present(present.info().text()));
        } else if (state instanceof EngineLink.State.Absent absent) {
            news.engine(new EngineSight.Absent(absent.why()));
        }
    }

    Controller driver() {
        return pods.driver();
    }

    ContainerDoor door() {
        return door;
    }

    /** Begins to look at the engine. */
    void start() {
        pods.start();
    }

    @Override
    public void close() {
        door.close();
        pods.close();
    }
}
