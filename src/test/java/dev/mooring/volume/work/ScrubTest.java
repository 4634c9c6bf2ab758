package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.HostMachine;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation.OperationType;
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

    private VolumeWorkFixture fixture;

    @BeforeEach
    void node() throws IOException {
        fixture = new VolumeWorkFixture(temp);
    }

    private static VolumeWork scrub(String kind, String server, String path) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject(kind).put("path", path);
        if (!server.isEmpty()) {
            source.withObject(kind).put("server", server);
        }
        return new VolumeWork(
                OperationType.SCRUB,
                "",
                "pv-a",
                VolumeWorkFixture.UID,
                "",
                Optional.of(source),
                VolumeMode.FILESYSTEM,
                1,
                Map.of(),
                Optional.empty());
    }

    @ParameterizedTest
    @CsvSource({"hostPath,''", "local,''", "nfs,nfs.example"})
    void scrub_directory_emptiesAndKeepsIt(String kind, String server) throws Exception {
        Path volume = Files.createDirectories(fixture.root.resolve("export/static"));
        Files.createDirectories(volume.resolve("a/b"));
        Files.createFile(volume.resolve(".hidden"));
        Files.createFile(fixture.outside.resolve("sentinel"));
        Files.createSymbolicLink(volume.resolve("a/link"), fixture.outside);
        VolumeWork work = scrub(kind, server, volume.toString());
        assertThat(fixture.workers.perform(work).source()).isEqualTo(work.source());
        assertThat(fixture.workers.perform(work).source()).isEqualTo(work.source());
        assertThat(HostMachine.below(fixture.root.resolve("export"))).containsExactly("static");
        assertThat(fixture.outside.resolve("sentinel")).exists();
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
    void scrub_pathIsNotAVolume_fails(String kind, String path, String reason) throws IOException {
        Files.createDirectories(fixture.root.resolve("export/base/.mooring"));
        Files.createDirectories(fixture.outside.resolve("inner/sentinel"));
        Files.createSymbolicLink(fixture.root.resolve("export/link"), fixture.outside);
        Files.createFile(fixture.root.resolve("export/file"));
        String resolved = path.replace("$root", fixture.root.toString());
        VolumeWorkException e = catchThrowableOfType(
                VolumeWorkException.class,
                () -> fixture.workers.perform(scrub(kind, kind.equals("nfs") ? "nfs.example" : "", resolved)));
        assertThat(e).isNotNull();
        assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason);
        assertThat(fixture.outside.resolve("inner/sentinel")).exists();
    }

    @Test
    void scrub_mountInside_failsAndLaterKeepsLostAndFound() throws Exception {
        HostMachine.assumeRoot();
        Path volume = Files.createDirectories(fixture.root.resolve("export/disk"));
        VolumeWork work = scrub("local", "", volume.toString());
        HostMachine.run("mount", "-t", "tmpfs", "tmpfs", volume.toString());
        try {
            Files.createDirectories(volume.resolve("lost+found"));
            Path point = Files.createDirectories(volume.resolve("a/point"));
            HostMachine.run("mount", "--bind", fixture.outside.toString(), point.toString());
            try {
                VolumeWorkException e =
                        catchThrowableOfType(VolumeWorkException.class, () -> fixture.workers.perform(work));
                assertThat(e.reason()).isEqualTo(VolumeWorkException.MOUNTED_BELOW);
            } finally {
                HostMachine.run("umount", point.toString());
            }
            fixture.workers.perform(work);
            assertThat(HostMachine.below(volume)).containsExactly("lost+found");
        } finally {
            HostMachine.run("umount", volume.toString());
        }
    }
}
