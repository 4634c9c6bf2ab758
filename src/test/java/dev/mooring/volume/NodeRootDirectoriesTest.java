package dev.mooring.volume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.HostMachine;
import dev.mooring.volume.VolumeException.FailureState;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class NodeRootDirectoriesTest extends MounterFixture {
    @Test
    void removeDirectory_linkInPath_fails() throws Exception {
        Path victim = Files.createDirectories(dir.resolve("victim/pv"));
        mounter.makeDirectory(target.getParent().getParent());
        Files.createSymbolicLink(target.getParent(), victim.getParent());
        assertFails(() -> mounter.removeDirectory(target), "WrongType", FailureState.UNCERTAIN);
        assertThat(victim).exists();
    }

    @Test
    void makeDirectory_onlyOwnerMayWrite() throws Exception {
        int before = HostMachine.umask(0);
        try {
            mounter.makeDirectory(target);
        } finally {
            HostMachine.umask(before);
        }
        mounter.makeDirectory(target);
        assertThat(HostMachine.permissions(layout.root())).isEqualTo("700");
        assertThat(HostMachine.permissions(layout.pods())).isEqualTo("750");
        assertThat(HostMachine.permissions(layout.pod("uid"))).isEqualTo("750");
        assertThat(HostMachine.permissions(target)).isEqualTo("750");
    }

    @Test
    void makeDirectory_mountPointExists_leavesMountUnchanged() throws Exception {
        mounter.bind(source, target, Access.READ_WRITE);
        String before = HostMachine.permissions(source);
        mounter.makeDirectory(target);
        assertThat(HostMachine.permissions(source)).isEqualTo(before);
    }

    @Test
    void removeDirectory_removesEmptyParentsUpToPodAndIsIdempotent() throws Exception {
        Path shared = layout.globalMount("kubernetes.io/csi", "pv");
        mounter.makeDirectory(target);
        mounter.makeDirectory(shared);
        mounter.removeDirectory(target);
        mounter.removeDirectory(shared);
        mounter.removeDirectory(target);
        assertThat(HostMachine.below(layout.root())).containsExactly("plugins", "pods", "pods/uid");
    }

    @Test
    void removeDirectory_interruptedByCrash_continues() throws Exception {
        mounter.makeDirectory(target);
        Files.delete(target);
        mounter.removeDirectory(target);
        assertThat(layout.pod("uid")).isEmptyDirectory();
    }

    @Test
    void removeDirectory_siblingExists_keepsParent() throws Exception {
        Path other = layout.volume("uid", "kubernetes.io/local-volume", "other");
        mounter.makeDirectory(target);
        mounter.makeDirectory(other);
        mounter.removeDirectory(target);
        assertThat(other).exists();
        assertThat(target).doesNotExist();
    }

    @Test
    void removeDirectory_containsFile_failsAndKeepsFile() throws Exception {
        mounter.makeDirectory(target);
        Files.writeString(target.resolve("precious"), "x");
        assertFails(() -> mounter.removeDirectory(target), "NotEmpty", FailureState.UNCERTAIN);
        Path file = target.resolve("precious");
        assertFails(() -> mounter.removeDirectory(file), "NotEmpty", FailureState.UNCERTAIN);
        assertThat(file).hasContent("x");
    }

    @Test
    void removeDirectory_mountPoint_fails() throws Exception {
        mounter.bind(source, target, Access.READ_WRITE);
        assertFails(() -> mounter.removeDirectory(target), "Mounted", FailureState.UNCERTAIN);
        Files.createDirectory(source.resolve("empty"));
        assertFails(() -> mounter.removeDirectory(target.resolve("empty")), "Mounted", FailureState.UNCERTAIN);
        assertThat(source.resolve("empty")).exists();
    }
}
