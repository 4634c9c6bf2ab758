package dev.mooring.kernel;

import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * A node in its own process: {@code NAME LOG YAML [POINT…]}. Continues where its predecessor was killed. If the file is
 * not empty, waits until the node is settled and puts the objects of the file. Prints {@code reached} at the points at
 * which it is to be killed (see {@link KillPoints}) or, without points, when the node is settled. Then blocks until it
 * is killed.
 */
public final class KillableNodeMain {
    static final String REACHED = "reached";

    private KillableNodeMain() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Set<String> points = Set.copyOf(List.of(args).subList(3, args.length));
        KillPoints kills = new KillPoints(points, KillableNodeMain::reached);
        RealNodeFixture node = RealNodeFixture.start(KernelNodeFixture.at(args[0]), Path.of(args[1]), kills, "");
        String yaml = Files.readString(Path.of(args[2]));
        if (!yaml.isEmpty()) {
            node.await("the node to be settled", KillableNodeMain::isSettled);
            node.put(yaml);
        }
        if (points.isEmpty()) {
            node.await("the node to be settled", KillableNodeMain::isSettled);
            reached();
        }
        new CountDownLatch(1).await();
    }

    private static void reached() {
        try (OutputStream out = new FileOutputStream(FileDescriptor.out)) {
            out.write((REACHED + '\n').getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether every Pod has its volume in the right size, no Pod is terminating, and no volume is unused. */
    private static boolean isSettled(World world) {
        return RealNodeFixture.volumes(world).stream().allMatch(each -> isSettled(world, each))
                && world.stream(Scope.resource("pods"))
                        .map(Pod::of)
                        .allMatch(pod -> !pod.isBeingDeleted()
                                && RealNodeFixture.mountOf(world, pod.name()).isPresent());
    }

    private static boolean isSettled(World world, ActualVolume volume) {
        long requestedBytes = world.get(Volume.key(volume.persistentVolume()))
                .map(Volume::of)
                .flatMap(Volume::capacity)
                .map(Quantity::value)
                .orElse(0L);
        return volume.operation().isEmpty()
                && !volume.mounts().isEmpty()
                && volume.mounts().stream()
                        .allMatch(each -> each.isMounted() && each.operation().isEmpty())
                && volume.capacity()
                        .filter(size -> size.value() < requestedBytes)
                        .isEmpty();
    }
}
