package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.configMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the file of the audit log across restarts of a server. */
@Timeout(300)
class AuditFileTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";

    @Test
    void auditLog_levelOff_writesNoFile(@TempDir Path directory) throws IOException {
        try (ApiUnderTest api = ApiUnderTest.start(directory, Map.of("audit.level", "off"))) {
            api.post(MAPS, configMap("off"));
            api.withToken("").get(MAPS);
        }
        assertThat(directory.resolve("audit")).doesNotExist();
    }

    @Test
    void auditLog_serverRestarted_keepsLinesAndAppends(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("elsewhere/a.log");
        for (int run = 1; run <= 2; run++) {
            try (ApiUnderTest api = ApiUnderTest.start(directory, Map.of("audit.file", file.toString()))) {
                for (int i = 0; i < 50; i++) {
                    api.post(MAPS, configMap("run" + run + "-" + i));
                }
            }
            assertThat(Files.readAllLines(file)).hasSize(50 * run);
        }
        assertThat(Files.readString(file)).doesNotContain("requestObject");
    }
}
