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
 * A node in a process of its own: {@code NAME LOG YAML [POINT…]}. Goes on where the one before was killed; when all is as it should be,
 * it puts what the file has, if it has anything; says {@code reached} when it is where it is to be killed (see {@link KillPoints}) or,
 * without such points, when all is as it should be once more; and then waits for its end.
 */
public final class KilledNode {
    static final String REACHED = "reached";

    private KilledNode() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Set<String> points = Set.copyOf(List.of(args).subList(3, args.length));
        KillPoints kills = new KillPoints(points, KilledNode::reached);
        WholeNode node = WholeNode.start(KernelNode.at(args[0]), Path.of(args[1]), kills, "");
        String yaml = Files.readString(Path.of(args[2]));
        if (!yaml.isEmpty()) {
            node.await("all to be as it should be", KilledNode::isSettled);
            node.put(yaml);
        }
        if (points.isEmpty()) {
            node.await("all to be as it should be", KilledNode::isSettled);
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

    /** Every Pod has its volume, as large as it should be; none is going, and nothing is there for nobody. */
    private static boolean isSettled(World world) {
        return WholeNode.volumes(world).stream().allMatch(each -> isSettled(world, each))
                && world.stream(Scope.resource("pods"))
                        .map(Pod::of)
                        .allMatch(pod -> !pod.isBeingDeleted()
                                && WholeNode.mountOf(world, pod.name()).isPresent());
    }

    private static boolean isSettled(World world, ActualVolume volume) {
        long wanted = world.get(Volume.key(volume.persistentVolume()))
                .map(Volume::of)
                .flatMap(Volume::capacity)
                .map(Quantity::value)
                .orElse(0L);
        return volume.operation().isEmpty()
                && !volume.mounts().isEmpty()
                && volume.mounts().stream()
                        .allMatch(each -> each.isMounted() && each.operation().isEmpty())
                && volume.capacity().filter(size -> size.value() < wanted).isEmpty();
    }
}
