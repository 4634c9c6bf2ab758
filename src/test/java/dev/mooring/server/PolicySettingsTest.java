package dev.mooring.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.api.auth.Grant;
import dev.mooring.api.auth.Role;
import dev.mooring.api.auth.User;
import dev.mooring.api.policy.NamespaceDefaults;
import dev.mooring.api.policy.PodGrants;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.policy.PodSecurity;
import dev.mooring.control.WorldFixture;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicySettingsTest {
    private static Vertx vertx;

    @TempDir
    private Path directory;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void close() {
        vertx.close().await();
    }

    @Test
    void policy_allSettings_areRead() {
        Settings.PolicySettings policy = SettingsLoaderTest.load(
                        vertx,
                        directory,
                        "policy: {privileged: 'a, kube-system', hostPath: 'a=/srv/a,*=/srv/all,a=/srv/b', adminPaths:"
                                + " '/var/run/docker.sock', nfs: 'a=nas:/exports/a/,b=[fd00::1]:/x,c=*', reservedPorts:"
                                + " '2049,22', podSecurity: baseline, noNewPrivileges: 'a', defaultMemory:"
                                + " 'a=512Mi,*=1Gi', alwaysPullImages: true}",
                        Map.of(),
                        Map.of())
                .policy();

        assertThat(policy)
                .isEqualTo(new Settings.PolicySettings(
                        new PodGrants(
                                Set.of("a", "kube-system"),
                                List.of(
                                        new PodGrants.HostPathPrefix("a", Path.of("/srv/a")),
                                        new PodGrants.HostPathPrefix("*", Path.of("/srv/all")),
                                        new PodGrants.HostPathPrefix("a", Path.of("/srv/b"))),
                                List.of(
                                        new PodGrants.GrantedShare("a", "nas", "/exports/a"),
                                        new PodGrants.GrantedShare("b", "[fd00::1]", "/x"),
                                        new PodGrants.GrantedShare("c", "*", "")),
                                Set.of(2049, 22)),
                        new NamespaceDefaults(
                                PodSecurity.PodSecurityLevel.BASELINE,
                                Set.of("a"),
                                Map.of("a", "512Mi", "*", "1Gi"),
                                true),
                        List.of(Path.of("/var/run/docker.sock"))));
    }

    @Test
    void reservedPorts_includePortsOfApiAndEngine() {
        PodPolicy policy = SettingsLoaderTest.load(
                        vertx,
                        directory,
                        "{listen: '127.0.0.1:7443', api: {plainListen: '127.0.0.1:7080'}, docker: {host:"
                                + " 'tcp://127.0.0.1:2375'}, policy: {reservedPorts: none}}",
                        Map.of(),
                        Map.of())
                .podPolicy();
        User edit = User.of("dev", new Grant(Role.EDIT, Set.of("a")));

        for (int port : List.of(7443, 7080, 2375, 2049)) {
            assertThat(policy.refusals(
                            edit,
                            "a",
                            WorldFixture.objects(
                                            "{kind: Pod, spec: {containers: [{ports: [{hostPort: " + port + "}]}]}}")
                                    .get(0)))
                    .as(Integer.toString(port))
                    .hasSize(port == 2049 ? 0 : 1);
        }
    }

    @ParameterizedTest(name = "{0}={1}")
    @CsvSource({
        "policy.privileged, A",
        "policy.privileged, 'a,,b'",
        "policy.hostPath, /srv",
        "policy.hostPath, =/srv",
        "policy.hostPath, a=srv",
        "policy.hostPath, a=/srv/../etc",
        "policy.hostPath, a_b=/srv",
        "policy.adminPaths, run",
        "policy.nfs, nas:/x",
        "policy.nfs, a=nas",
        "policy.nfs, a=:/x",
        "policy.nfs, a=-x:/x",
        "policy.reservedPorts, 0",
        "policy.reservedPorts, '1,,2'",
        "policy.podSecurity, strict",
        "policy.noNewPrivileges, A",
        "policy.defaultMemory, 512Mi",
        "policy.defaultMemory, a=0",
        "policy.defaultMemory, a=much",
        "policy.defaultMemory, 'a=1Gi,a=2Gi'",
        "docker.pidsLimit, 0",
    })
    void policy_invalidValue_isRejectedWithItsKey(String key, String value) {
        assertThatThrownBy(() -> SettingsLoaderTest.load(vertx, directory, "", Map.of(), Map.of(key, value)))
                .isInstanceOf(MooringException.class)
                .hasMessageContaining(key + " must be ");
    }
}
