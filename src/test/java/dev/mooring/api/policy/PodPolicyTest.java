package dev.mooring.api.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.auth.Grant;
import dev.mooring.api.auth.Role;
import dev.mooring.api.auth.User;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.HostPathGrant;
import dev.mooring.model.ProtectedHostPaths;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodPolicyTest {
    private static final User ADMIN = User.of("root", new Grant(Role.ADMIN, Set.of(Grant.EVERYWHERE)));
    private static final User EDIT = User.of("dev", new Grant(Role.EDIT, Set.of("a", "b")));
    private static final String DATA = "volumes: [{name: v, hostPath: {path: /srv/a/data}}]";

    private final PodPolicy policy = new PodPolicy(
            new PodGrants(
                    Set.of("b"),
                    List.of(
                            new PodGrants.HostPathPrefix("a", Path.of("/srv/a")),
                            new PodGrants.HostPathPrefix("*", Path.of("/srv/all"))),
                    List.of(
                            new PodGrants.GrantedShare("a", "nas", "/exports/a"),
                            new PodGrants.GrantedShare("*", "nas", "/exports/all"),
                            new PodGrants.GrantedShare("b", "*", "")),
                    Set.of(2049, 7443)),
            NamespaceDefaults.NONE,
            ProtectedHostPaths.defaults().withOwn(Path.of("/opt/mooring")));

    private static ObjectNode pod(String spec) {
        return WorldFixture.objects("{kind: Pod, metadata: {name: p}, spec: {" + spec + "}}")
                .get(0);
    }

    private static String field(List<Status.StatusCause> refusals) {
        return refusals.stream().map(Status.StatusCause::field).toList().toString();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        hostNetwork: true                                                            | spec.hostNetwork
        hostPID: true                                                                | spec.hostPID
        hostIPC: true                                                                | spec.hostIPC
        containers: [{}, {securityContext: {privileged: true}}]                      | spec.containers[1].securityContext.privileged
        initContainers: [{securityContext: {privileged: true}}]                      | spec.initContainers[0].securityContext.privileged
        ephemeralContainers: [{securityContext: {privileged: true}}]                 | spec.ephemeralContainers[0].securityContext.privileged
        containers: [{securityContext: {capabilities: {add: [CHOWN, SYS_ADMIN]}}}]   | spec.containers[0].securityContext.capabilities.add[1]
        containers: [{securityContext: {capabilities: {add: [cap_net_raw]}}}]        | spec.containers[0].securityContext.capabilities.add[0]
        containers: [{securityContext: {capabilities: {add: [ALL]}}}]                | spec.containers[0].securityContext.capabilities.add[0]
        containers: [{securityContext: {procMount: Unmasked}}]                       | spec.containers[0].securityContext.procMount
        containers: [{securityContext: {seccompProfile: {type: Unconfined}}}]        | spec.containers[0].securityContext.seccompProfile.type
        securityContext: {seccompProfile: {type: Unconfined}}                        | spec.securityContext.seccompProfile.type
        containers: [{securityContext: {appArmorProfile: {type: Unconfined}}}]       | spec.containers[0].securityContext.appArmorProfile.type
        securityContext: {seLinuxOptions: {type: spc_t}}                             | spec.securityContext.seLinuxOptions.type
        containers: [{securityContext: {seLinuxOptions: {user: system_u}}}]          | spec.containers[0].securityContext.seLinuxOptions.user
        initContainers: [{securityContext: {seLinuxOptions: {role: system_r}}}]      | spec.initContainers[0].securityContext.seLinuxOptions.role
        securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}              | spec.securityContext.sysctls[0].name
        securityContext: {sysctls: [{name: net/core/somaxconn, value: '1'}]}         | spec.securityContext.sysctls[0].name
        containers: [{livenessProbe: {httpGet: {host: 127.0.0.1, port: 1}}}]         | spec.containers[0].livenessProbe.httpGet.host
        containers: [{readinessProbe: {tcpSocket: {host: nas, port: 1}}}]            | spec.containers[0].readinessProbe.tcpSocket.host
        containers: [{startupProbe: {httpGet: {host: '::1', port: 1}}}]              | spec.containers[0].startupProbe.httpGet.host
        containers: [{lifecycle: {postStart: {httpGet: {host: a, port: 1}}}}]        | spec.containers[0].lifecycle.postStart.httpGet.host
        containers: [{lifecycle: {preStop: {tcpSocket: {host: a, port: 1}}}}]        | spec.containers[0].lifecycle.preStop.tcpSocket.host
        initContainers: [{restartPolicy: Always, startupProbe: {tcpSocket: {host: a, port: 1}}}] | spec.initContainers[0].startupProbe.tcpSocket.host
        ephemeralContainers: [{livenessProbe: {httpGet: {host: a, port: 1}}}]        | spec.ephemeralContainers[0].livenessProbe.httpGet.host
        containers: [{ports: [{hostPort: 80}, {hostPort: 2049, hostIP: 127.0.0.1}]}] | spec.containers[0].ports[1].hostPort
        initContainers: [{ports: [{hostPort: 7443, protocol: UDP}]}]                 | spec.initContainers[0].ports[0].hostPort
        """)
    void refusals_privilegedField_allowsAdminsAndPrivilegedNamespacesOnly(String spec, String field) {
        assertThat(field(policy.refusals(EDIT, "a", pod(spec)))).isEqualTo('[' + field + ']');
        assertThat(policy.refusals(EDIT, "b", pod(spec))).isEmpty();
        assertThat(policy.refusals(ADMIN, "a", pod(spec))).isEmpty();
        assertThat(policy.execRefusal(EDIT, "a", pod(spec))).isPresent();
        assertThat(policy.execRefusal(EDIT, "b", pod(spec))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hostNetwork: false",
                "containers: [{securityContext: {privileged: false, capabilities: {add: [CHOWN, CAP_KILL], drop:"
                        + " [ALL]}, procMount: Default, seccompProfile: {type: RuntimeDefault}, runAsUser: 0}}]",
                "containers: [{ports: [{containerPort: 80, hostPort: 80}], volumeMounts: [{mountPropagation:"
                        + " HostToContainer}]}]",
                "securityContext: {runAsUser: 0, seLinuxOptions: {level: s0, type: container_t}, sysctls: [{name:"
                        + " net/ipv4/tcp_syncookies, value: '1'}]}",
                "shareProcessNamespace: true",
                "containers: [{livenessProbe: {httpGet: {host: '', port: 1, httpHeaders: [{name: Host, value: x}]}},"
                        + " readinessProbe: {tcpSocket: {port: 1}}, ports: [{containerPort: 2049, hostPort: 0}]}]",
            })
    void refusals_fieldsWithoutHostAccess_areAllowed(String spec) {
        assertThat(policy.refusals(EDIT, "a", pod(spec))).isEmpty();
    }

    @Test
    void refusals_refusedField_namesFieldValueRoleAndSetting() {
        assertThat(policy.refusals(EDIT, "a", pod("hostNetwork: true")))
                .containsExactly(new Status.StatusCause(
                        "FieldValueForbidden",
                        "true is not allowed for role edit in namespace \"a\": only for admins, and where the setting"
                                + " policy.privileged names the namespace",
                        "spec.hostNetwork"));
        assertThat(policy.refusals(EDIT, "a", pod("volumes: [{}, {hostPath: {path: /etc}}]")))
                .containsExactly(new Status.StatusCause(
                        "FieldValueForbidden",
                        "\"/etc\" is not allowed for role edit in namespace \"a\": only for admins, and at or below the"
                                + " paths that the setting policy.hostPath names for the namespace (/srv/a, /srv/all)",
                        "spec.volumes[1].hostPath.path"));
        assertThat(policy.refusals(EDIT, "a", pod("volumes: [{nfs: {server: nas, path: /b}}]")))
                .containsExactly(new Status.StatusCause(
                        "FieldValueForbidden",
                        "\"nas:/b\" is not allowed for role edit in namespace \"a\": only for admins, and for the"
                                + " shares that the setting policy.nfs names for the namespace (nas:/exports/a,"
                                + " nas:/exports/all); use a PersistentVolumeClaim instead",
                        "spec.volumes[0].nfs"));
        assertThat(policy.refusals(EDIT, "a", pod("containers: [{ports: [{hostPort: 2049}]}]")))
                .containsExactly(new Status.StatusCause(
                        "FieldValueForbidden",
                        "2049 is not allowed for role edit in namespace \"a\": the machine itself uses this port"
                                + " (setting policy.reservedPorts); choose another one",
                        "spec.containers[0].ports[0].hostPort"));
    }

    @ParameterizedTest
    @CsvSource({
        "/srv/a, a, true, true",
        "/srv/a/x, a, true, true",
        "/srv/a/x, b, false, true",
        "/srv/all/x, b, true, true",
        "/srv/ab, a, false, true",
        "/srv, a, false, true",
        "/etc, a, false, true",
        "/, a, false, false",
        "/srv/a/../../etc, a, false, true",
        "/opt/mooring/pki, a, false, false",
        "/opt, a, false, false",
        "/var/run/docker.sock, a, false, false",
    })
    void refusals_hostPath_allowsGrantedPathsOnly(String path, String namespace, boolean edit, boolean admin) {
        ObjectNode pod = pod("volumes: [{name: v, hostPath: {path: '" + path + "'}}]");

        assertThat(policy.refusals(EDIT, namespace, pod).isEmpty()).isEqualTo(edit);
        assertThat(policy.refusals(ADMIN, namespace, pod).isEmpty()).isEqualTo(admin);
        assertThat(PodPolicy.DENY_ALL.refusals(EDIT, namespace, pod)).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "nas, /exports/a, a, true",
        "NAS, /exports/a/, a, true",
        "nas, /exports/all, a, true",
        "nas, /exports/a, b, true",
        "other, /x, b, true",
        "nas, /exports/a/below, a, false",
        "nas, /exports/a/../b, a, false",
        "nas, /exports, a, false",
        "nas., /exports/a, a, false",
        "10.0.0.1, /exports/a, a, false",
        "nas, /exports/a, c, false",
        "nas, /exports/all, c, true",
    })
    void refusals_nfsShare_allowsGrantedSharesOnly(String server, String path, String namespace, boolean edit) {
        ObjectNode pod = pod("volumes: [{name: v, nfs: {server: " + server + ", path: " + path + "}}]");

        assertThat(policy.refusals(EDIT, namespace, pod).isEmpty()).isEqualTo(edit);
        assertThat(policy.refusals(ADMIN, namespace, pod)).isEmpty();
        assertThat(field(PodPolicy.DENY_ALL.refusals(EDIT, namespace, pod))).isEqualTo("[spec.volumes[0].nfs]");
        assertThat(policy.execRefusal(EDIT, namespace, pod).isEmpty()).isEqualTo(edit);
    }

    @Test
    void refusals_hostPortOfNfs_isReservedByDefault() {
        for (int port : List.of(111, 2049, 20048)) {
            assertThat(PodPolicy.DENY_ALL.refusals(EDIT, "a", pod("containers: [{ports: [{hostPort: " + port + "}]}]")))
                    .hasSize(1);
        }
    }

    @Test
    void refusals_protectedPathBelowGrantedPrefix_isRefused() {
        PodPolicy rootGranted = new PodPolicy(
                new PodGrants(
                        Set.of(),
                        List.of(new PodGrants.HostPathPrefix("a", Path.of("/"))),
                        List.of(),
                        PodGrants.NFS_PORTS),
                NamespaceDefaults.NONE,
                ProtectedHostPaths.defaults());

        assertThat(rootGranted.refusals(EDIT, "a", pod("volumes: [{hostPath: {path: /etc}}]")))
                .isEmpty();
        assertThat(rootGranted.refusals(EDIT, "a", pod("volumes: [{hostPath: {path: /}}]")))
                .isNotEmpty();
    }

    @Test
    void writeGrantAnnotation_annotationOfUser_isOverwritten() {
        ObjectNode ofEdit = pod(DATA);
        ofEdit.withObject("/metadata/annotations").put(HostPathGrant.ANNOTATION, "admin");
        ObjectNode ofAdmin = pod(DATA);
        ObjectNode without = pod("volumes: [{name: v, emptyDir: {}}]");
        without.withObject("/metadata/annotations").put(HostPathGrant.ANNOTATION, "admin");

        policy.writeGrantAnnotation(ofEdit, EDIT, "a");
        policy.writeGrantAnnotation(ofAdmin, ADMIN, "a");
        policy.writeGrantAnnotation(without, EDIT, "a");

        assertThat(HostPathGrant.of(ofEdit))
                .contains(HostPathGrant.below(List.of(Path.of("/srv/a"), Path.of("/srv/all"))));
        assertThat(HostPathGrant.of(ofAdmin)).contains(HostPathGrant.ofAdmin());
        assertThat(without.path("metadata").has("annotations")).isFalse();
    }

    @Test
    void keepGrantAnnotation_changedOrRemovedByUser_isRestored() {
        ObjectNode before = pod(DATA);
        policy.writeGrantAnnotation(before, EDIT, "a");
        ObjectNode changed = before.deepCopy();
        changed.withObject("/metadata/annotations").put(HostPathGrant.ANNOTATION, "admin");
        ObjectNode removed = pod(DATA);

        policy.keepGrantAnnotation(changed, before);
        policy.keepGrantAnnotation(removed, before);
        ObjectNode plain = pod("containers: []");
        ObjectNode smuggled = plain.deepCopy();
        smuggled.withObject("/metadata/annotations").put(HostPathGrant.ANNOTATION, "admin");
        policy.keepGrantAnnotation(smuggled, plain);

        assertThat(changed).isEqualTo(before);
        assertThat(removed).isEqualTo(before);
        assertThat(smuggled).isEqualTo(plain);
    }

    @Test
    void refusals_imageChangedInPrivilegedPod_isRefusedForEditors() {
        ObjectNode before = pod("containers: [{image: one, securityContext: {privileged: true}}]");
        ObjectNode labelled = before.deepCopy();
        labelled.withObject("/metadata/labels").put("a", "b");
        ObjectNode next = pod("containers: [{image: two, securityContext: {privileged: true}}]");

        assertThat(policy.refusals(EDIT, "a", labelled, before)).isEmpty();
        assertThat(field(policy.refusals(EDIT, "a", next, before)))
                .isEqualTo("[spec.containers[0].securityContext.privileged]");
        assertThat(policy.refusals(EDIT, "b", next, before)).isEmpty();
        assertThat(policy.refusals(ADMIN, "a", next, before)).isEmpty();
    }

    @Test
    void refusals_podWithHostPathOfAdmin_refusesImageChangeAndExecOfEditors() {
        ObjectNode before = pod(DATA + ", containers: [{image: one}]");
        policy.writeGrantAnnotation(before, ADMIN, "a");
        ObjectNode next = before.deepCopy();
        ((ObjectNode) next.at("/spec/containers/0")).put("image", "two");

        assertThat(field(policy.refusals(EDIT, "a", next, before))).isEqualTo("[spec]");
        assertThat(policy.execRefusal(EDIT, "a", before)).isPresent();
        assertThat(policy.refusals(ADMIN, "a", next, before)).isEmpty();
        assertThat(policy.execRefusal(ADMIN, "a", before)).isEmpty();

        policy.writeGrantAnnotation(before, EDIT, "a");
        assertThat(policy.refusals(EDIT, "a", next, before)).isEmpty();
        assertThat(policy.execRefusal(EDIT, "a", before)).isEmpty();
    }
}
