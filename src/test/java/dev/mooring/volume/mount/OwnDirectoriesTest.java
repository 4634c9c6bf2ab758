package dev.mooring.volume.mount;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.path.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class OwnDirectoriesTest extends MountBench {
    @Test
    void removesNothingBehindALinkInTheMiddleOfTheWay() throws Exception {
        Path victim = Files.createDirectories(dir.resolve("victim/pv"));
        mounter.makeDirectory(target.getParent().getParent());
        Files.createSymbolicLink(target.getParent(), victim.getParent());
        mustRefuse(() -> mounter.removeDirectory(target), "WrongType", Left.PERHAPS_SOMETHING);
        assertThat(victim).exists();
    }

    @Test
    void makesDirectoriesOnlyTheirOwnerCanWrite() throws Exception {
        int before = Machine.umask(0);
        try {
            mounter.makeDirectory(target);
        } finally {
            Machine.umask(before);
        }
        mounter.makeDirectory(target);
        assertThat(Machine.permissions(layout.root())).isEqualTo("700");
        assertThat(Machine.permissions(layout.pods())).isEqualTo("750");
        assertThat(Machine.permissions(layout.pod("uid"))).isEqualTo("750");
        assertThat(Machine.permissions(target)).isEqualTo("750");
    }

    @Test
    void leavesWhatIsMountedAloneWhenTheDirectoryIsAskedForAgain() throws Exception {
        mounter.bind(source, target, Access.READ_WRITE);
        String before = Machine.permissions(source);
        mounter.makeDirectory(target);
        assertThat(Machine.permissions(source)).isEqualTo(before);
    }

    @Test
    void removesEmptyDirectoriesUpToThePodAndTwiceIsFine() throws Exception {
        Path shared = layout.shared("kubernetes.io/csi", "pv");
        mounter.makeDirectory(target);
        mounter.makeDirectory(shared);
        mounter.removeDirectory(target);
        mounter.removeDirectory(shared);
        mounter.removeDirectory(target);
        assertThat(Machine.below(layout.root())).containsExactly("plugins", "pods", "pods/uid");
    }

    @Test
    void goesOnRemovingWhereACrashStopped() throws Exception {
        mounter.makeDirectory(target);
        Files.delete(target);
        mounter.removeDirectory(target);
        assertThat(layout.pod("uid")).isEmptyDirectory();
    }

    @Test
    void keepsTheDirectoriesThatOthersUse() throws Exception {
        Path other = layout.volume("uid", "kubernetes.io/local-volume", "other");
        mounter.makeDirectory(target);
        mounter.makeDirectory(other);
        mounter.removeDirectory(target);
        assertThat(other).exists();
        assertThat(target).doesNotExist();
    }

    @Test
    void deletesNoFileEver() throws Exception {
        mounter.makeDirectory(target);
        Files.writeString(target.resolve("precious"), "x");
        mustRefuse(() -> mounter.removeDirectory(target), "NotEmpty", Left.PERHAPS_SOMETHING);
        Path file = target.resolve("precious");
        mustRefuse(() -> mounter.removeDirectory(file), "NotEmpty", Left.PERHAPS_SOMETHING);
        assertThat(file).hasContent("x");
    }

    @Test
    void refusesToRemoveWhereSomethingIsMounted() throws Exception {
        mounter.bind(source, target, Access.READ_WRITE);
        mustRefuse(() -> mounter.removeDirectory(target), "Mounted", Left.PERHAPS_SOMETHING);
        Files.createDirectory(source.resolve("empty"));
        mustRefuse(() -> mounter.removeDirectory(target.resolve("empty")), "Mounted", Left.PERHAPS_SOMETHING);
        assertThat(source.resolve("empty")).exists();
    }
}
