package dev.mooring.volume.host;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.volume.NodeLayout;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class OwnPlacesTest {
    private final OwnPlaces own = new OwnPlaces(new NodeLayout(Path.of("/mnt/mooring"), Path.of("/var/lib/mooring")));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/mnt/mooring",
                "/mnt/mooring/pods/u",
                "/var/lib/mooring",
                "/var/lib/mooring/pki",
                "/var/lib/mooring/kubeconfig",
                "/var/lib/mooring/volumes/block/.mooring/u"
            })
    void refusesTheRootAndTheDataDirectoryAsAskedForOrAsReached(String path) {
        assertThatThrownBy(() -> own.refuse(Path.of(path), Path.of(path))).hasMessageContaining("no Pod may see");
        assertThatThrownBy(() -> own.refuse(Path.of("/srv/link"), Path.of(path)))
                .hasMessageContaining("no Pod may see");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/srv/data", "/mnt/mooring2", "/var/lib/mooring/volumes/hostpath/pvc-1"})
    void letsThroughWhatIsTheUsers(String path) {
        assertThatCode(() -> own.refuse(Path.of(path), Path.of(path))).doesNotThrowAnyException();
    }
}
