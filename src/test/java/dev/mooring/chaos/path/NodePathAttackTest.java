package dev.mooring.chaos.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.chaos.path.Siege.End;
import dev.mooring.node.discover.Directory;
import dev.mooring.node.discover.Found;
import dev.mooring.node.discover.Survey;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
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

/** Files for last words, and looking for disks, where somebody bends the paths. These classes are known in their packages only. */
@Timeout(600)
@Tag("chaos")
class NodePathAttackTest {
    private static final String POD = "0f3a";
    private static final int READS = 20;

    @TempDir
    Path temp;

    private Path node;
    private NodeLayout layout;
    private Treasure treasure;

    @BeforeEach
    void aNode() throws IOException {
        Machine.assumeRoot();
        Path root = temp.toRealPath();
        node = Files.createDirectory(root.resolve("node"));
        layout = new NodeLayout(Files.createDirectory(node.resolve("own")));
        treasure = Treasure.in(root);
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

    private Object lastWords() throws Exception {
        SystemCalls calls = SystemCalls.real();
        return make(
                "dev.mooring.node.container.TerminationLog",
                new Class<?>[] {NodeLayout.class, Mounter.class, SystemCalls.class},
                layout,
                new LinuxMounter(layout, calls, new ChildProcess()),
                calls);
    }

    /** What is read there can be seen in the Pod's status. */
    @Test
    void makesAndReadsFilesForLastWords() throws Exception {
        Object log = lastWords();
        Class<?>[] types = {String.class, String.class, int.class};
        Path directory = layout.pod(POD).resolve("containers/web");
        Set<Decoy> decoys = EnumSet.of(
                Decoy.LINK, Decoy.LINK_UP, Decoy.LINK_SAME_NAME, Decoy.LOOP, Decoy.DANGLING, Decoy.FIFO, Decoy.NOTHING);
        try (Siege siege = new Siege("last words", node, treasure)) {
            siege.attack(directory, decoys)
                    .attack(directory.resolve("0"), decoys)
                    .run(round -> {
                        if (round % 8 == 0) {
                            Hands.empty(layout.pods());
                        }
                        call(log, "make", types, POD, "web", 0);
                        End end = End.AS_IF_ALONE;
                        for (int i = 0; i < READS; i++) {
                            String words = (String) call(log, "read", types, POD, "web", 0);
                            assertThat(words).doesNotContain(Treasure.SECRET);
                            end = words.isEmpty() ? end : End.DISTURBED;
                        }
                        return end;
                    });
        }
    }

    @Test
    void looksForDisks() throws Exception {
        Path disks = Files.createDirectories(node.resolve("disks"));
        Files.createDirectories(disks.resolve("disk"));
        List<Directory> directories = List.of(new Directory(disks, "local", false, false));
        try (Siege siege = new Siege("discovery", node, treasure)) {
            siege.attack(disks.resolve("disk"), Decoy.ofContainers()).run(round -> {
                Object scan = make(
                        "dev.mooring.node.discover.DirectoryScan",
                        new Class<?>[] {MountTable.class},
                        MountTable.read());
                Survey survey = (Survey) call(scan, "of", new Class<?>[] {List.class}, directories);
                assertThat(survey.toString()).doesNotContain(Treasure.SECRET);
                assertThat(survey.found()).extracting(Found::path).isSubsetOf(List.of(disks.resolve("disk")));
                return survey.found().isEmpty() ? End.DISTURBED : End.AS_IF_ALONE;
            });
        }
    }
}
