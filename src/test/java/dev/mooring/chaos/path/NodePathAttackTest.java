package dev.mooring.chaos.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.chaos.path.AttackRun.RoundResult;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.node.volumemanager.DiscoveredEntry;
import dev.mooring.node.volumemanager.DiscoveryDirectory;
import dev.mooring.node.volumemanager.ScanResult;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Attacks the paths of termination logs and of disk discovery. Uses reflection: the classes are package-private. */
@Timeout(600)
@Tag("chaos")
class NodePathAttackTest {
    private static final String POD = "0f3a";
    private static final int READS = 20;

    @TempDir
    Path temp;

    private Path node;
    private NodeLayout layout;
    private ProtectedFiles protectedFiles;

    @BeforeEach
    void createNode() throws IOException {
        HostMachine.assumeRoot();
        Path root = temp.toRealPath();
        node = Files.createDirectory(root.resolve("node"));
        layout = new NodeLayout(Files.createDirectory(node.resolve("own")));
        protectedFiles = ProtectedFiles.in(root);
    }

    private static Object make(String type, Class<?>[] types, Object... arguments) throws Exception {
        Constructor<?> constructor = Class.forName(type).getDeclaredConstructor(types);
        constructor.setAccessible(true);
        return constructor.newInstance(arguments);
    }

    private static Object call(Object on, String name, Class<?>[] types, Object... arguments) throws Exception {
        Method method = on.getClass().getDeclaredMethod(name, types);
        method.setAccessible(true);
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause().getClass().getSimpleName().equals("ConfigException")) {
                throw VolumeException.clean("Config", e.getCause().getMessage());
            }
            throw e;
        }
    }

    private Object terminationLog() throws Exception {
        SystemCalls calls = SystemCalls.real();
        return make(
                "dev.mooring.node.container.TerminationLog",
                new Class<?>[] {NodeLayout.class, Mounter.class, SystemCalls.class},
                layout,
                new LinuxMounter(layout, calls, new ChildProcess()),
                calls);
    }

    /** The content of a termination log becomes visible in the status of the Pod. */
    @Test
    void terminationLog_pathsReplaced_neverReadsProtectedFiles() throws Exception {
        Object log = terminationLog();
        Class<?>[] types = {String.class, String.class, int.class};
        Path directory = layout.pod(POD).resolve("containers/web");
        Set<Decoy> decoys = EnumSet.of(
                Decoy.LINK, Decoy.LINK_UP, Decoy.LINK_SAME_NAME, Decoy.LOOP, Decoy.DANGLING, Decoy.FIFO, Decoy.NOTHING);
        try (AttackRun attackRun = new AttackRun("termination log", node, protectedFiles)) {
            attackRun
                    .attack(directory, decoys)
                    .attack(directory.resolve("0"), decoys)
                    .run(round -> {
                        if (round % 8 == 0) {
                            TestFileOperations.empty(layout.pods());
                        }
                        call(log, "make", types, POD, "web", 0);
                        RoundResult result = RoundResult.UNDISTURBED;
                        for (int i = 0; i < READS; i++) {
                            String message = (String) call(log, "read", types, POD, "web", 0);
                            assertThat(message).doesNotContain(ProtectedFiles.SECRET);
                            result = message.isEmpty() ? result : RoundResult.DISTURBED;
                        }
                        return result;
                    });
        }
    }

    @Test
    void directoryScan_pathsReplaced_findsOnlyTheDisk() throws Exception {
        Path disks = Files.createDirectories(node.resolve("disks"));
        Files.createDirectories(disks.resolve("disk"));
        List<DiscoveryDirectory> directories = List.of(new DiscoveryDirectory(disks, "local", false, false));
        try (AttackRun attackRun = new AttackRun("discovery", node, protectedFiles)) {
            attackRun.attack(disks.resolve("disk"), Decoy.ofContainers()).run(round -> {
                Object scanner = make(
                        "dev.mooring.node.volumemanager.DirectoryScan",
                        new Class<?>[] {MountTable.class},
                        MountTable.read());
                ScanResult scan = (ScanResult) call(scanner, "of", new Class<?>[] {List.class}, directories);
                assertThat(scan.toString()).doesNotContain(ProtectedFiles.SECRET);
                assertThat(scan.found()).extracting(DiscoveredEntry::path).isSubsetOf(List.of(disks.resolve("disk")));
                return scan.found().isEmpty() ? RoundResult.DISTURBED : RoundResult.UNDISTURBED;
            });
        }
    }
}
