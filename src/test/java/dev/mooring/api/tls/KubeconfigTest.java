package dev.mooring.api.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeconfigTest {
    private static final String SERVER = "https://127.0.0.1:7443";

    @TempDir
    private Path directory;

    @Test
    void ensure_newFile_storesTokenReadableByOwnerOnly() throws IOException {
        config().ensure(SERVER, "authority", "-secret_");

        assertThat(config().token()).contains("-secret_");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
    }

    @Test
    void ensure_directoryMissing_createsIt() throws IOException {
        Path deep = directory.resolve("a/b/kubeconfig");

        new Kubeconfig(deep).ensure(SERVER, "authority", "secret");

        assertThat(deep).exists();
    }

    @Test
    void ensure_fileStillValid_keepsEditsUntilServerChanges() throws IOException {
        config().ensure(SERVER, "authority", "secret");
        String edited = Files.readString(file()).replace("    user: ", "    namespace: mine\n    user: ");
        Files.writeString(file(), edited);

        config().ensure(SERVER, "authority", "secret");
        assertThat(file()).hasContent(edited);

        config().ensure("https://127.0.0.1:1", "authority", "secret");
        assertThat(Files.readString(file())).contains("https://127.0.0.1:1").doesNotContain(SERVER);
    }

    @Test
    void token_fileMissingOrTokenRemoved_isEmpty() throws IOException {
        assertThat(config().token()).isEmpty();
        config().ensure(SERVER, "authority", "secret");
        Files.writeString(file(), Files.readString(file()).replaceAll("token: .*", "tokenFile: /x"));

        assertThat(config().token()).isEmpty();
    }

    @Test
    void ensure_kubeconfigOfOtherCluster_throwsAndKeepsFile() throws IOException {
        String foreign =
                "apiVersion: v1\nkind: Config\nclusters:\n- name: production\n  cluster: {server: 'https://p'}\n";
        Files.writeString(file(), foreign);

        assertThatThrownBy(() -> config().token())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("clusters include \"production\"")
                .hasMessageContaining("--kubeconfig");
        assertThatThrownBy(() -> config().ensure(SERVER, "authority", "secret")).isInstanceOf(IOException.class);
        assertThat(file()).hasContent(foreign);
    }

    @Test
    void token_fileIsNoKubeconfig_throws() throws IOException {
        for (String content : new String[] {"notes", "a: [", "- 1"}) {
            Files.writeString(file(), content);
            assertThatThrownBy(() -> config().token())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("next:");
        }
    }

    private Kubeconfig config() {
        return new Kubeconfig(file());
    }

    private Path file() {
        return directory.resolve("kubeconfig");
    }
}
