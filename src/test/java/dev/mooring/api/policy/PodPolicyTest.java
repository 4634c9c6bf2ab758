package dev.mooring.api.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.auth.Grant;
import dev.mooring.api.auth.Role;
import dev.mooring.api.auth.User;
import dev.mooring.api.status.Status;
import dev.mooring.control.Worlds;
import dev.mooring.model.host.GuardedPlaces;
import dev.mooring.model.host.HostPathGrant;
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
                            new PodGrants.Prefix("a", Path.of("/srv/a")),
                            new PodGrants.Prefix("*", Path.of("/srv/all")))),
            GuardedPlaces.usual().withOwn(Path.of("/opt/mooring")));

    private static ObjectNode pod(String spec) {
        return Worlds.objects("{kind: Pod, metadata: {name: p}, spec: {" + spec + "}}")
                .get(0);
    }

    private static String field(List<Status.Cause> refusals) {
        return refusals.stream().map(Status.Cause::field).toList().toString();
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
        securityContext: {seLinuxOptions: {type: spc_t}}                             | spec.securityContext.seLinuxOptions
        securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}              | spec.securityContext.sysctls[0].name
        securityContext: {sysctls: [{name: net/core/somaxconn, value: '1'}]}         | spec.securityContext.sysctls[0].name
        """)
    void keepsPrivilegesToAdminsAndNamespacesThatMayHaveThem(String spec, String field) {
        assertThat(field(policy.refusals(EDIT, "a", pod(spec)))).isEqualTo('[' + field + ']');
        assertThat(policy.refusals(EDIT, "b", pod(spec))).isEmpty();
        assertThat(policy.refusals(ADMIN, "a", pod(spec))).isEmpty();
        assertThat(policy.entryRefusal(EDIT, "a", pod(spec))).isPresent();
        assertThat(policy.entryRefusal(EDIT, "b", pod(spec))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hostNetwork: false",
                "containers: [{securityContext: {privileged: false, capabilities: {add: [CHOWN, CAP_KILL], drop:"
                        + " [ALL]}, procMount: Default, seccompProfile: {type: RuntimeDefault}, runAsUser: 0}}]",
                "containers: [{ports: [{containerPort: 80, hostPort: 80}], volumeMounts: [{mountPropagation:"
                        + " HostToContainer}]}]",
                "securityContext: {runAsUser: 0, seLinuxOptions: {}, sysctls: [{name: net/ipv4/tcp_syncookies, value:"
                        + " '1'}]}",
                "shareProcessNamespace: true",
            })
    void leavesWhatConcernsOnlyThePodItself(String spec) {
        assertThat(policy.refusals(EDIT, "a", pod(spec))).isEmpty();
    }

    @Test
    void namesFieldValueRoleAndSetting() {
        assertThat(policy.refusals(EDIT, "a", pod("hostNetwork: true")))
                .containsExactly(new Status.Cause(
                        "FieldValueForbidden",
                        "true is not allowed for role edit in namespace \"a\": only for admins, and where the setting"
                                + " policy.privileged names the namespace",
                        "spec.hostNetwork"));
        assertThat(policy.refusals(EDIT, "a", pod("volumes: [{}, {hostPath: {path: /etc}}]")))
                .containsExactly(new Status.Cause(
                        "FieldValueForbidden",
                        "\"/etc\" is not allowed for role edit in namespace \"a\": only for admins, and at or below the"
                                + " paths that the setting policy.hostPath names for the namespace (/srv/a, /srv/all)",
                        "spec.volumes[1].hostPath.path"));
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
    void confinesHostPaths(String path, String namespace, boolean edit, boolean admin) {
        ObjectNode pod = pod("volumes: [{name: v, hostPath: {path: '" + path + "'}}]");

        assertThat(policy.refusals(EDIT, namespace, pod).isEmpty()).isEqualTo(edit);
        assertThat(policy.refusals(ADMIN, namespace, pod).isEmpty()).isEqualTo(admin);
        assertThat(PodPolicy.CLOSED.refusals(EDIT, namespace, pod)).isNotEmpty();
    }

    @Test
    void guardsPlacesEvenBelowAPrefix() {
        PodPolicy generous = new PodPolicy(
                new PodGrants(Set.of(), List.of(new PodGrants.Prefix("a", Path.of("/")))), GuardedPlaces.usual());

        assertThat(generous.refusals(EDIT, "a", pod("volumes: [{hostPath: {path: /etc}}]")))
                .isEmpty();
        assertThat(generous.refusals(EDIT, "a", pod("volumes: [{hostPath: {path: /}}]")))
                .isNotEmpty();
    }

    @Test
    void stampsWhatWasGrantedOverWhateverTheUserWrote() {
        ObjectNode ofEdit = pod(DATA);
        ofEdit.withObject("/metadata/annotations").put(HostPathGrant.ANNOTATION, "admin");
        ObjectNode ofAdmin = pod(DATA);
        ObjectNode without = pod("volumes: [{name: v, emptyDir: {}}]");
        without.withObject("/metadata/annotations").put(HostPathGrant.ANNOTATION, "admin");

        policy.stamp(ofEdit, EDIT, "a");
        policy.stamp(ofAdmin, ADMIN, "a");
        policy.stamp(without, EDIT, "a");

        assertThat(HostPathGrant.of(ofEdit))
                .contains(HostPathGrant.below(List.of(Path.of("/srv/a"), Path.of("/srv/all"))));
        assertThat(HostPathGrant.of(ofAdmin)).contains(HostPathGrant.ofAdmin());
        assertThat(without.path("metadata").has("annotations")).isFalse();
    }

    @Test
    void keepsTheStampWhateverIsWrittenLater() {
        ObjectNode before = pod(DATA);
        policy.stamp(before, EDIT, "a");
        ObjectNode changed = before.deepCopy();
        changed.withObject("/metadata/annotations").put(HostPathGrant.ANNOTATION, "admin");
        ObjectNode removed = pod(DATA);

        policy.keepStamp(changed, before);
        policy.keepStamp(removed, before);
        ObjectNode plain = pod("containers: []");
        ObjectNode smuggled = plain.deepCopy();
        smuggled.withObject("/metadata/annotations").put(HostPathGrant.ANNOTATION, "admin");
        policy.keepStamp(smuggled, plain);

        assertThat(changed).isEqualTo(before);
        assertThat(removed).isEqualTo(before);
        assertThat(smuggled).isEqualTo(plain);
    }

    @Test
    void letsNobodyRunAnotherProgramInAPodHeMightNotCreate() {
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
    void letsNobodyTakeOverHostPathsOfAnAdmin() {
        ObjectNode before = pod(DATA + ", containers: [{image: one}]");
        policy.stamp(before, ADMIN, "a");
        ObjectNode next = before.deepCopy();
        ((ObjectNode) next.at("/spec/containers/0")).put("image", "two");

        assertThat(field(policy.refusals(EDIT, "a", next, before))).isEqualTo("[spec]");
        assertThat(policy.entryRefusal(EDIT, "a", before)).isPresent();
        assertThat(policy.refusals(ADMIN, "a", next, before)).isEmpty();
        assertThat(policy.entryRefusal(ADMIN, "a", before)).isEmpty();

        policy.stamp(before, EDIT, "a");
        assertThat(policy.refusals(EDIT, "a", next, before)).isEmpty();
        assertThat(policy.entryRefusal(EDIT, "a", before)).isEmpty();
    }
}
