package dev.mooring.conformance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.cli.Server;
import dev.mooring.cli.TestServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A server, and users of kubectl who share it: one for each version, made when first asked for. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class KubectlTestCase {
    static final String EVERY = "dev.mooring.conformance.KubectlBinary#all";
    static final String OLDEST_AND_NEWEST = "dev.mooring.conformance.KubectlBinary#oldestAndNewest";

    private final Map<KubectlBinary, KubectlUser> users = new HashMap<>();
    private Path directory;
    private Server server;
    private KubectlAccess access;

    @BeforeAll
    void startServer(@TempDir Path scratch) throws IOException {
        assumeTrue(KubectlBinary.inPath("bash").isPresent(), "Needs bash in the PATH");
        assumeTrue(!KubectlBinary.oldestAndNewest().isEmpty(), "Needs kubectl 1.29 or newer in the PATH");
        directory = scratch;
        access = KubectlAccess.attach();
        server = TestServers.start(
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
            new NodeMachine(directory).cleanUp();
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

    /** What every test of the class needs in the user's namespace. */
    void prepare(KubectlUser user) {}
}
