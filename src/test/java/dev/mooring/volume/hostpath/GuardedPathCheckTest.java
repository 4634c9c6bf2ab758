package dev.mooring.volume.hostpath;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.volume.NodeLayout;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GuardedPathCheckTest {
    private final GuardedPathCheck check =
            new GuardedPathCheck(new NodeLayout(Path.of("/mnt/mooring"), Path.of("/var/lib/mooring")));

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
    void check_rootOrDataDirectory_fails(String path) {
        assertThatThrownBy(() -> check.requireNotGuarded(Path.of(path), Path.of(path)))
                .hasMessageContaining("no Pod may see");
        assertThatThrownBy(() -> check.requireNotGuarded(Path.of("/srv/link"), Path.of(path)))
                .hasMessageContaining("no Pod may see");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/srv/data", "/mnt/mooring2", "/var/lib/mooring/volumes/hostpath/pvc-1"})
    void check_pathOfUser_succeeds(String path) {
        assertThatCode(() -> check.requireNotGuarded(Path.of(path), Path.of(path)))
                .doesNotThrowAnyException();
    }
}
