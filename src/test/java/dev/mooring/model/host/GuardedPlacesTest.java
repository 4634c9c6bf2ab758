package dev.mooring.model.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GuardedPlacesTest {
    private final GuardedPlaces places = GuardedPlaces.usual()
            .withOwn(Path.of("/opt/mooring/data"), Path.of("/mnt/pods"))
            .withEngine(List.of(Path.of("/tmp/eng/docker.sock")));

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        /                                   | is the whole machine: no Pod may have it unless the setting policy.adminPaths names it
        /opt                                | contains Mooring's own directory /opt/mooring/data:
        /opt/mooring                        | contains Mooring's own directory /opt/mooring/data:
        /opt/mooring/data                   | is in Mooring's own directory /opt/mooring/data, which no Pod may see
        /opt/mooring/data/pki               | is in Mooring's own directory
        /opt/mooring/data/volumes           | is in Mooring's own directory
        /opt/mooring/data/volumes/hostpath  | is in Mooring's own directory
        /opt/mooring/data/volumes/b/.mooring/x | is in Mooring's own directory
        /mnt                                | contains Mooring's own directory /mnt/pods:
        /mnt/pods/u                         | is in Mooring's own directory /mnt/pods
        /var                                | contains /var/run/docker.sock, through which one gets hold of the machine:
        /run                                | contains /run/docker.sock
        /run/docker.sock                    | is a place of the container engine (/run/docker.sock)
        /var/lib                            | contains /var/lib/docker
        /var/lib/docker                     | is a place of the container engine (/var/lib/docker)
        /var/lib/docker/overlay2/x          | is in a place of the container engine (/var/lib/docker)
        /tmp                                | contains /tmp/eng/docker.sock
        /tmp/eng/docker.sock                | is a place of the container engine
        """)
    void refusesInWords(String path, String words) {
        assertThat(places.refusal(Path.of(path)).orElseThrow()).startsWith(words);
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
    void leavesTheRest(String path) {
        assertThat(places.refusal(Path.of(path))).isEmpty();
    }

    @Test
    void lessIsGuardedIfTheAdministratorSaysSoButNeverMooringsOwn() {
        GuardedPlaces socket = places.allowing(List.of(Path.of("/run/docker.sock")));
        GuardedPlaces everything = places.allowing(List.of(Path.of("/")));

        assertThat(socket.refusal(Path.of("/run/docker.sock"))).isEmpty();
        assertThat(socket.refusal(Path.of("/run"))).isPresent();
        assertThat(socket.refusal(Path.of("/"))).isPresent();
        assertThat(everything.refusal(Path.of("/"))).isEmpty();
        assertThat(everything.refusal(Path.of("/var/lib/docker/x"))).isEmpty();
        assertThat(everything.refusal(Path.of("/opt"))).isEmpty();
        assertThat(everything.refusal(Path.of("/opt/mooring/data/pki"))).isPresent();
        assertThat(places.allowing(List.of(Path.of("/opt/mooring/data"))).refusal(Path.of("/opt/mooring/data")))
                .isPresent();
    }
}
