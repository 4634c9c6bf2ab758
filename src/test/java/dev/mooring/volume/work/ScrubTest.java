package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.volume.path.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScrubTest {
    @TempDir
    Path temp;

    private Bench bench;

    @BeforeEach
    void node() throws IOException {
        bench = new Bench(temp);
    }

    private static VolumeWork scrub(String kind, String server, String path) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject(kind).put("path", path);
        if (!server.isEmpty()) {
            source.withObject(kind).put("server", server);
        }
        return new VolumeWork(
                Work.SCRUB, "", "pv-a", Bench.UID, "", Optional.of(source), VolumeMode.FILESYSTEM, 1, Map.of());
    }

    @ParameterizedTest
    @CsvSource({"hostPath,''", "local,''", "nfs,nfs.example"})
    void emptiesADirectoryAndKeepsIt(String kind, String server) throws Exception {
        Path volume = Files.createDirectories(bench.root.resolve("export/static"));
        Files.createDirectories(volume.resolve("a/b"));
        Files.createFile(volume.resolve(".hidden"));
        Files.createFile(bench.outside.resolve("sentinel"));
        Files.createSymbolicLink(volume.resolve("a/link"), bench.outside);
        VolumeWork work = scrub(kind, server, volume.toString());
        assertThat(bench.workers.perform(work).source()).isEqualTo(work.source());
        assertThat(bench.workers.perform(work).source()).isEqualTo(work.source());
        assertThat(Machine.below(bench.root.resolve("export"))).containsExactly("static");
        assertThat(bench.outside.resolve("sentinel")).exists();
    }

    @ParameterizedTest
    @CsvSource({
        "hostPath, /,                       Refused",
        "hostPath, /tmp,                    Refused",
        "hostPath, /srv,                    Refused",
        "hostPath, /etc/mooring-test,       Refused",
        "hostPath, /usr/share/mooring-test, Refused",
        "hostPath, /var/lib,                Refused",
        "hostPath, /var/lib/docker/volumes, Refused",
        "hostPath, /proc/self/cwd,          Refused",
        "hostPath, $root,                   Refused",
        "hostPath, $root/data,              Refused",
        "hostPath, $root/data/volumes,      Refused",
        "hostPath, $root/data/volumes/hostpath, Refused",
        "hostPath, $root/data/log,          Refused",
        "hostPath, $root/allowed,           Refused",
        "hostPath, $root/allowed/.mooring,  Refused",
        "hostPath, $root/export/base,       Refused",
        "hostPath, $root/export/../data,    OutsideBase",
        "hostPath, relative/path,           OutsideBase",
        "hostPath, $root/export/link,       Diverted",
        "hostPath, $root/export/link/inner, Diverted",
        "hostPath, $root/export/file,       Diverted",
        "hostPath, $root/export/gone,       Missing",
        "nfs,      $root/export,            Refused",
        "nfs,      /,                       Refused",
    })
    void refusesPlacesThatAreNobodysVolume(String kind, String path, String reason) throws IOException {
        Files.createDirectories(bench.root.resolve("export/base/.mooring"));
        Files.createDirectories(bench.outside.resolve("inner/sentinel"));
        Files.createSymbolicLink(bench.root.resolve("export/link"), bench.outside);
        Files.createFile(bench.root.resolve("export/file"));
        String place = path.replace("$root", bench.root.toString());
        VolumeWorkException e = catchThrowableOfType(
                VolumeWorkException.class,
                () -> bench.workers.perform(scrub(kind, kind.equals("nfs") ? "nfs.example" : "", place)));
        assertThat(e).isNotNull();
        assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason);
        assertThat(bench.outside.resolve("inner/sentinel")).exists();
    }

    @Test
    void refusesADirectoryWithAMountInItAndKeepsWhatAFileSystemHasAtItsTop() throws Exception {
        Machine.assumeRoot();
        Path volume = Files.createDirectories(bench.root.resolve("export/disk"));
        VolumeWork work = scrub("local", "", volume.toString());
        Machine.run("mount", "-t", "tmpfs", "tmpfs", volume.toString());
        try {
            Files.createDirectories(volume.resolve("lost+found"));
            Path point = Files.createDirectories(volume.resolve("a/point"));
            Machine.run("mount", "--bind", bench.outside.toString(), point.toString());
            try {
                VolumeWorkException e =
                        catchThrowableOfType(VolumeWorkException.class, () -> bench.workers.perform(work));
                assertThat(e.reason()).isEqualTo(VolumeWorkException.MOUNTED_BELOW);
            } finally {
                Machine.run("umount", point.toString());
            }
            bench.workers.perform(work);
            assertThat(Machine.below(volume)).containsExactly("lost+found");
        } finally {
            Machine.run("umount", volume.toString());
        }
    }
}
