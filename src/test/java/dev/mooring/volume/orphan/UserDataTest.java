package dev.mooring.volume.orphan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.FakeMounter;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.SystemCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever lies about in a Pod's directory, and wherever data of a user is mounted in it: not a single name in that data is unlinked, not
 * even tried, and nothing below a volume's directory is.
 */
final class UserDataTest extends PodBench {
    private static final int LAYOUTS = 60;
    private static final List<String> TOPS =
            List.of("volumes", "volumeDevices", "volume-subpaths", "plugins", "other", "volumes", "volume-subpaths");

    private final List<Path> mounts = new ArrayList<>();
    private final List<String> crimes = new ArrayList<>();
    private int unlinks;

    @ParameterizedTest
    @ValueSource(longs = {1, 20261116})
    void isNeverDeleted(long seed) throws IOException, VolumeException, InterruptedException {
        Machine.assumeRoot();
        Random chance = new Random(seed);
        for (int i = 0; i < LAYOUTS; i++) {
            String seen = seed + ", layout " + i;
            layOut(chance);
            List<String> before = Machine.below(data);
            Mounter table = chance.nextBoolean() ? mounter : FakeMounter.inMemory(layout);

            Removal removal = new PodDirectory(layout, table, watched()).remove("u");

            assertThat(crimes).as(seen).isEmpty();
            assertThat(Machine.below(data)).as(seen).isEqualTo(before);
            assertThat(Files.readString(data.resolve("full/file"))).isEqualTo("precious");
            assertThat(removal).as(seen).isNotInstanceOf(Removal.Removed.class);
            clear();
        }
        assertThat(unlinks).isPositive();
    }

    private void layOut(Random chance) throws IOException, VolumeException {
        for (int i = chance.nextInt(8); i > 0; i--) {
            String kind = List.of("d:", "d:", "f:", "e:", "l:").get(chance.nextInt(5));
            try {
                make(kind + path(chance));
            } catch (FileAlreadyExistsException expected) {
                // Something else is there, which is as good.
            } catch (FileSystemException expected) {
                // A file is on the way.
            }
        }
        String where = path(chance);
        while (!canBeMountedOn(where)) {
            where = path(chance);
        }
        bind(data, where);
        mounts.add(pod.resolve(where));
    }

    private boolean canBeMountedOn(String where) {
        for (Path at = pod.resolve(where); !at.equals(pod); at = at.getParent()) {
            if (Files.exists(at, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(at, LinkOption.NOFOLLOW_LINKS)) {
                return false;
            }
        }
        return true;
    }

    private static String path(Random chance) {
        StringBuilder path = new StringBuilder(TOPS.get(chance.nextInt(TOPS.size())));
        for (int depth = chance.nextInt(5); depth > 0; depth--) {
            path.append('/').append((char) ('a' + chance.nextInt(2)));
        }
        return path.toString();
    }

    private void clear() throws IOException, InterruptedException {
        for (Path each : mounts) {
            Machine.run("umount", each.toString());
        }
        mounts.clear();
        if (Files.exists(pod)) {
            Machine.run("rm", "-r", "--one-file-system", pod.toString());
        }
    }

    /** The machine's calls, of which those that remove a name are looked at before they are made. */
    private SystemCalls watched() {
        return (SystemCalls) Proxy.newProxyInstance(
                SystemCalls.class.getClassLoader(), new Class<?>[] {SystemCalls.class}, (self, method, arguments) -> {
                    if (Set.of("unlinkat", "renameat2").contains(method.getName())) {
                        look((int) arguments[0], (byte[]) arguments[1], method.getName());
                    }
                    try {
                        return method.invoke(SystemCalls.real(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void look(int directory, byte[] name, String call) {
        unlinks++;
        Path where;
        try {
            where = Files.readSymbolicLink(Path.of("/proc/self/fd/" + directory));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String what = call + ' ' + where + '/' + new String(name, 0, name.length - 1, StandardCharsets.UTF_8);
        boolean inData = where.startsWith(data) || mounts.stream().anyMatch(where::startsWith);
        boolean inVolume = where.startsWith(pod)
                && Set.of("volumes", "volumeDevices")
                        .contains(pod.relativize(where).getName(0).toString())
                && where.getNameCount() >= pod.getNameCount() + 3;
        if (inData || inVolume) {
            crimes.add(what);
        }
    }
}
