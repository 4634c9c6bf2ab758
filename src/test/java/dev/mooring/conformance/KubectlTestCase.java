package dev.mooring.conformance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.HostInspector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Base class of tests with a shared server and one {@link KubectlUser} for each version, created on first use. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
abstract class KubectlTestCase {
    static final String EVERY = "dev.mooring.conformance.KubectlBinary#all";
    static final String OLDEST_AND_NEWEST = "dev.mooring.conformance.KubectlBinary#oldestAndNewest";

    private final Map<KubectlBinary, KubectlUser> users = new HashMap<>();
    private Path directory;
    private Server server;
    private KubectlAccessLog access;

    @BeforeAll
    void startServer(@TempDir Path scratch) throws IOException {
        assumeTrue(KubectlBinary.inPath("bash").isPresent(), "Needs bash in the PATH");
        assumeTrue(!KubectlBinary.oldestAndNewest().isEmpty(), "Needs kubectl 1.29 or newer in the PATH");
        directory = scratch;
        access = KubectlAccessLog.attach();
        server = ServerFixture.start(
                scratch.resolve("data"),
                Map.of(
                        "nfs.isServer",
                        "true",
                        "nfs.share",
                        Files.createDirectories(scratch.resolve("export")).toString()));
    }

    @AfterAll
    void stopServer() {
        if (server != null) {
            server.close();
            new HostInspector(directory).cleanUp();
        }
        if (access != null) {
            access.close();
        }
    }

    KubectlUser user(KubectlBinary kubectl) {
        if (!users.containsKey(kubectl)) {
            KubectlUser user = new KubectlUser(kubectl, directory, server.kubeconfig(), access);
            users.put(kubectl, user);
            prepare(user);
        }
        return users.get(kubectl);
    }

    /** Creates the objects that every test of the class needs in the user's namespace. */
    void prepare(KubectlUser user) {}
}
