package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerSpec.Seccomp;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.ImageFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SecuritySettingsTest {
    private static final String POD_AND_CONTAINER = " (pod: \"web_shop(u1)\", container: c)";

    private static Security security(String ofPod, String own, String imageUser) throws ConfigException {
        Pod pod = ContainerSpecFixture.pod("{securityContext: " + (ofPod == null ? "{}" : ofPod) + "}");
        ImageFacts image = new ImageFacts("id", List.of(), List.of(), List.of(), 1, imageUser == null ? "" : imageUser);
        return SecuritySettings.of(
                pod, ContainerSpecFixture.named("{securityContext: " + (own == null ? "{}" : own) + "}"), image);
    }

    /** Returns the settings that differ from the defaults. */
    private static String describe(Security security) {
        List<String> settings = new ArrayList<>();
        if (!security.user().isEmpty()) {
            settings.add("user " + security.user());
        }
        if (!security.groups().isEmpty()) {
            settings.add("groups " + security.groups());
        }
        if (security.privileged()) {
            settings.add("privileged");
        }
        if (security.readOnlyRoot()) {
            settings.add("readOnlyRoot");
        }
        if (!security.newPrivileges()) {
            settings.add("noNewPrivileges");
        }
        if (!security.addedCapabilities().isEmpty()) {
            settings.add("add " + security.addedCapabilities());
        }
        if (!security.droppedCapabilities().isEmpty()) {
            settings.add("drop " + security.droppedCapabilities());
        }
        if (security.seccomp() != Seccomp.DEFAULT) {
            settings.add("unconfined");
        }
        if (security.unmaskedProc()) {
            settings.add("unmasked");
        }
        if (!security.seLinux().isEmpty()) {
            settings.add("seLinux " + new TreeMap<>(security.seLinux()));
        }
        return settings.isEmpty() ? "nothing" : String.join(", ", settings);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', emptyValue = "", textBlock = """
        user of the Pod        | {runAsUser: 1000}                              |                              |           | user 1000
        own user               | {runAsUser: 1000}                              | {runAsUser: 0}               |           | user 0
        user and group         | {runAsUser: 1000, runAsGroup: 3000}            |                              |           | user 1000:3000
        own group              | {runAsUser: 1000, runAsGroup: 3000}            | {runAsGroup: 4000}           |           | user 1000:4000
        group alone            | {runAsGroup: 3000}                             |                              |           | user 0:3000
        group, image's user    | {runAsGroup: 3000}                             |                              | nginx:www | user nginx:3000
        groups                 | {supplementalGroups: [5, 6], fsGroup: 2000}    |                              |           | groups [2000, 5, 6]
        a group twice          | {supplementalGroups: [2000, 6], fsGroup: 2000} |                              |           | groups [2000, 6]
        a large group          | {fsGroup: 4294967294}                          |                              |           | groups [4294967294]
        privileged             |                                                | {privileged: true}           |           | privileged, unconfined
        privileged, confined   |                                                | {privileged: true, seccompProfile: {type: 'RuntimeDefault'}} | | privileged
        read-only root         |                                                | {readOnlyRootFilesystem: true} |         | readOnlyRoot
        no escalation          |                                                | {allowPrivilegeEscalation: false} |      | noNewPrivileges
        capabilities           |                                                | {capabilities: {add: ['NET_ADMIN', 'CAP_SYS_TIME'], drop: ['ALL', 'cap_kill']}} | | add [NET_ADMIN, SYS_TIME], drop [ALL, KILL]
        system calls of Pod    | {seccompProfile: {type: 'Unconfined'}}         |                              |           | unconfined
        own system calls       | {seccompProfile: {type: 'Unconfined'}}         | {seccompProfile: {type: 'RuntimeDefault'}} | | nothing
        SELinux label of Pod   | {seLinuxOptions: {level: 's0:c0,c1', user: ''}} |                             |           | seLinux {level=s0:c0,c1}
        own SELinux label      | {seLinuxOptions: {level: 's0:c0,c1'}}          | {seLinuxOptions: {user: 'u', role: 'r', type: 't'}} | | seLinux {role=r, type=t, user=u}
        all of /proc           |                                                | {procMount: 'Unmasked'}      |           | unmasked
        /proc as usual         |                                                | {procMount: 'Default', readOnlyRootFilesystem: true} | | readOnlyRoot
        """)
    void security_containerSettings_overridePodSettings(
            String description, String ofPod, String own, String imageUser, String expected) throws ConfigException {
        assertThat(describe(security(ofPod, own, imageUser))).as(description).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {runAsNonRoot: true} |                                    |           | container has runAsNonRoot and image will run as root
        {runAsNonRoot: true} |                                    | 0         | container has runAsNonRoot and image will run as root
        {runAsNonRoot: true} |                                    | 0:5       | container has runAsNonRoot and image will run as root
        {runAsNonRoot: true} |                                    | :5        | container has runAsNonRoot and image will run as root
        {runAsNonRoot: true} |                                    | nginx:5   | container has runAsNonRoot and image has non-numeric user (nginx), cannot verify user is non-root
        {runAsNonRoot: true} |                                    | 1000      | fine
        {runAsNonRoot: true} |                                    | 1000:0    | fine
        {runAsNonRoot: true} | {runAsUser: 1000}                  | root      | fine
        {runAsNonRoot: true} | {runAsUser: 0}                     | 1000      | container's runAsUser breaks non-root policy
        {runAsNonRoot: true} | {runAsNonRoot: false}              |           | fine
        {runAsUser: 1000}    | {runAsNonRoot: true}               |           | fine
        {runAsUser: 0}       |                                    |           | fine
        """)
    void security_runAsNonRootWithRootUser_isRejected(String ofPod, String own, String imageUser, String expected)
            throws InterruptedException {
        String result = ContainerSpecFixture.resultOf(() -> {
            security(ofPod, own, imageUser);
            return "fine";
        });

        assertThat(result)
                .isEqualTo(
                        expected.equals("fine")
                                ? "fine"
                                : "CreateContainerConfigError: " + expected + POD_AND_CONTAINER);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {seccompProfile: {type: 'Localhost', localhostProfile: 'x.json'}} | Localhost
        """)
    void security_unsupportedSeccompProfile_isRejected(String own, String named) throws InterruptedException {
        assertThat(ContainerSpecFixture.resultOf(() -> describe(security("{}", own, ""))))
                .startsWith("CreateContainerConfigError: ")
                .contains(named);
    }
}
