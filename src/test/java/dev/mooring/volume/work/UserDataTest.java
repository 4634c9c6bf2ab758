package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.HostMachine;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.FakeMounter;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.VolumeException;
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
 * Tests with random layouts and mounts in a Pod's directory that no name in mounted user data, or below a volume's
 * directory, is unlinked, nor is the call attempted.
 */
final class UserDataTest extends PodDirectoryFixture {
    private static final int LAYOUTS = 60;
    private static final List<String> TOPS =
            List.of("volumes", "volumeDevices", "volume-subpaths", "plugins", "other", "volumes", "volume-subpaths");

    private final List<Path> mounts = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private int unlinks;

    @ParameterizedTest
    @ValueSource(longs = {1, 20261116})
    void remove_randomLayout_neverUnlinksUserData(long seed) throws IOException, VolumeException, InterruptedException {
        HostMachine.assumeRoot();
        Random random = new Random(seed);
        for (int i = 0; i < LAYOUTS; i++) {
            String description = seed + ", layout " + i;
            createLayout(random);
            List<String> before = HostMachine.below(data);
            Mounter table = random.nextBoolean() ? mounter : FakeMounter.inMemory(layout);

            PodDirectoryRemoval removal = new PodDirectory(layout, table, checkedCalls()).remove("u");

            assertThat(violations).as(description).isEmpty();
            assertThat(HostMachine.below(data)).as(description).isEqualTo(before);
            assertThat(Files.readString(data.resolve("full/file"))).isEqualTo("precious");
            assertThat(removal).as(description).isNotInstanceOf(PodDirectoryRemoval.Removed.class);
            clear();
        }
        assertThat(unlinks).isPositive();
    }

    private void createLayout(Random random) throws IOException, VolumeException {
        for (int i = random.nextInt(8); i > 0; i--) {
            String kind = List.of("d:", "d:", "f:", "e:", "l:").get(random.nextInt(5));
            try {
                make(kind + path(random));
            } catch (FileAlreadyExistsException expected) {
                // Another entry exists, which is fine.
            } catch (FileSystemException expected) {
                // A parent is a file.
            }
        }
        String where = path(random);
        while (!isPossibleMountPoint(where)) {
            where = path(random);
        }
        bind(data, where);
        mounts.add(pod.resolve(where));
    }

    private boolean isPossibleMountPoint(String where) {
        for (Path at = pod.resolve(where); !at.equals(pod); at = at.getParent()) {
            if (Files.exists(at, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(at, LinkOption.NOFOLLOW_LINKS)) {
                return false;
            }
        }
        return true;
    }

    private static String path(Random random) {
        StringBuilder path = new StringBuilder(TOPS.get(random.nextInt(TOPS.size())));
        for (int depth = random.nextInt(5); depth > 0; depth--) {
            path.append('/').append((char) ('a' + random.nextInt(2)));
        }
        return path.toString();
    }

    private void clear() throws IOException, InterruptedException {
        for (Path each : mounts) {
            HostMachine.run("umount", each.toString());
        }
        mounts.clear();
        if (Files.exists(pod)) {
            HostMachine.run("rm", "-r", "--one-file-system", pod.toString());
        }
    }

    /** Returns the real system calls; calls that remove a name are checked before. */
    private SystemCalls checkedCalls() {
        return (SystemCalls) Proxy.newProxyInstance(
                SystemCalls.class.getClassLoader(), new Class<?>[] {SystemCalls.class}, (self, method, arguments) -> {
                    if (Set.of("unlinkat", "renameat2").contains(method.getName())) {
                        checkUnlink((int) arguments[0], (byte[]) arguments[1], method.getName());
                    }
                    try {
                        return method.invoke(SystemCalls.real(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void checkUnlink(int directory, byte[] name, String call) {
        unlinks++;
        Path where;
        try {
            where = Files.readSymbolicLink(Path.of("/proc/self/fd/" + directory));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String unlink = call + ' ' + where + '/' + new String(name, 0, name.length - 1, StandardCharsets.UTF_8);
        boolean inData = where.startsWith(data) || mounts.stream().anyMatch(where::startsWith);
        boolean inVolume = where.startsWith(pod)
                && Set.of("volumes", "volumeDevices")
                        .contains(pod.relativize(where).getName(0).toString())
                && where.getNameCount() >= pod.getNameCount() + 3;
        if (inData || inVolume) {
            violations.add(unlink);
        }
    }
}
