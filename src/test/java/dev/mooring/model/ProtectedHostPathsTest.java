package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProtectedHostPathsTest {
    private final ProtectedHostPaths paths = ProtectedHostPaths.defaults()
            .withOwn(Path.of("/opt/mooring/data"), Path.of("/mnt/pods"))
            .withEngine(List.of(Path.of("/tmp/eng/docker.sock")));

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        /                                   | is the host's root directory: no Pod may use it unless the setting policy.adminPaths names it
        /opt                                | contains Mooring's own directory /opt/mooring/data:
        /opt/mooring                        | contains Mooring's own directory /opt/mooring/data:
        /opt/mooring/data                   | is in Mooring's own directory /opt/mooring/data, which no Pod may see
        /opt/mooring/data/pki               | is in Mooring's own directory
        /opt/mooring/data/volumes           | is in Mooring's own directory
        /opt/mooring/data/volumes/hostpath  | is in Mooring's own directory
        /opt/mooring/data/volumes/b/.mooring/x | is in Mooring's own directory
        /mnt                                | contains Mooring's own directory /mnt/pods:
        /mnt/pods/u                         | is in Mooring's own directory /mnt/pods
        /var                                | contains /var/run/docker.sock, which gives control of the host:
        /run                                | contains /run/docker.sock
        /run/docker.sock                    | is a path of the container engine (/run/docker.sock)
        /var/lib                            | contains /var/lib/docker
        /var/lib/docker                     | is a path of the container engine (/var/lib/docker)
        /var/lib/docker/overlay2/x          | is below a path of the container engine (/var/lib/docker)
        /tmp                                | contains /tmp/eng/docker.sock
        /tmp/eng/docker.sock                | is a path of the container engine
        """)
    void hostPath_protected_isDeniedWithReason(String path, String reason) {
        assertThat(paths.denialReason(Path.of(path)).orElseThrow()).startsWith(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/srv",
                "/etc",
                "/opt/other",
                "/opt/mooring/data2",
                "/opt/mooring/data/volumes/hostpath/pvc-1",
                "/var/lib/dockers",
                "/tmp/eng/other",
                "/dev/null"
            })
    void hostPath_notProtected_isAllowed(String path) {
        assertThat(paths.denialReason(Path.of(path))).isEmpty();
    }

    @Test
    void hostPath_allowedByAdministrator_isAllowedExceptMooringsOwn() {
        ProtectedHostPaths socket = paths.allowing(List.of(Path.of("/run/docker.sock")));
        ProtectedHostPaths everything = paths.allowing(List.of(Path.of("/")));

        assertThat(socket.denialReason(Path.of("/run/docker.sock"))).isEmpty();
        assertThat(socket.denialReason(Path.of("/run"))).isPresent();
        assertThat(socket.denialReason(Path.of("/"))).isPresent();
        assertThat(everything.denialReason(Path.of("/"))).isEmpty();
        assertThat(everything.denialReason(Path.of("/var/lib/docker/x"))).isEmpty();
        assertThat(everything.denialReason(Path.of("/opt"))).isEmpty();
        assertThat(everything.denialReason(Path.of("/opt/mooring/data/pki"))).isPresent();
        assertThat(paths.allowing(List.of(Path.of("/opt/mooring/data"))).denialReason(Path.of("/opt/mooring/data")))
                .isPresent();
    }
}
