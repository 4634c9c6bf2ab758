package dev.mooring.api.rules.pod;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class SecurityContextRulesTest {
    @TestFactory
    Stream<DynamicTest> securityContext_ofContainer_isChecked() {
        return PodRuleCases.validated("""
            container {securityContext: {runAsUser: 0, runAsGroup: 2147483647, privileged: true, seccompProfile: {type: RuntimeDefault}, appArmorProfile: {type: Unconfined}, capabilities: {add: [NET_ADMIN]}}}
            => ok

            container {securityContext: {runAsUser: -1, runAsGroup: 2147483648}}
            => spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive
            => spec.containers[0].securityContext.runAsGroup: Invalid value: 2147483648: must be between 0 and 2147483647, inclusive

            container {securityContext: {privileged: true, allowPrivilegeEscalation: false}}
            => spec.containers[0].securityContext: Invalid value: {"privileged":true,"allowPrivilegeEscalation":false}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true

            container {securityContext: {capabilities: {add: [CAP_SYS_ADMIN]}, allowPrivilegeEscalation: false}}
            => spec.containers[0].securityContext: Invalid value: {"capabilities":{"add":["CAP_SYS_ADMIN"]},"allowPrivilegeEscalation":false}: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN

            container {securityContext: {procMount: Half}}
            => spec.containers[0].securityContext.procMount: Unsupported value: "Half": supported values: "Default", "Unmasked"

            container {securityContext: {procMount: Unmasked}}
            => spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`

            spec {hostUsers: false}
            container {securityContext: {procMount: Unmasked}}
            => ok
            """);
    }

    @TestFactory
    Stream<DynamicTest> securityContext_profiles_areChecked() {
        return PodRuleCases.validated("""
            container {securityContext: {seccompProfile: {type: Localhost, localhostProfile: a/b.json}, appArmorProfile: {type: Localhost, localhostProfile: x}}}
            => ok

            container {securityContext: {seccompProfile: {}, appArmorProfile: {}}}
            => spec.containers[0].securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set
            => spec.containers[0].securityContext.appArmorProfile.type: Required value: type is required when appArmorProfile is set

            container {securityContext: {seccompProfile: {type: Some}, appArmorProfile: {type: Some}}}
            => spec.containers[0].securityContext.seccompProfile.type: Unsupported value: "Some": supported values: "Localhost", "RuntimeDefault", "Unconfined"
            => spec.containers[0].securityContext.appArmorProfile.type: Unsupported value: "Some": supported values: "Localhost", "RuntimeDefault", "Unconfined"

            container {securityContext: {seccompProfile: {type: Localhost}, appArmorProfile: {type: Localhost}}}
            => spec.containers[0].securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost
            => spec.containers[0].securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost

            container {securityContext: {seccompProfile: {type: Localhost, localhostProfile: ../x}, appArmorProfile: {type: Localhost, localhostProfile: 'x '}}}
            => spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: "../x": must not contain '..'
            => spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: "x ": must not be padded with whitespace

            container {securityContext: {seccompProfile: {type: Unconfined, localhostProfile: x}, appArmorProfile: {type: RuntimeDefault, localhostProfile: x}}}
            => spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: {"type":"Unconfined","localhostProfile":"x"}: can only be set when seccomp type is Localhost
            => spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: "x": can only be set when AppArmor type is Localhost
            """);
    }

    @TestFactory
    Stream<DynamicTest> securityContext_ofPod_isChecked() {
        return PodRuleCases.validated("""
            spec {securityContext: {fsGroup: 2000, runAsUser: 1000, supplementalGroups: [1, 2], fsGroupChangePolicy: Always, supplementalGroupsPolicy: Strict, seLinuxChangePolicy: Recursive, sysctls: [{name: net.ipv4.ip_forward, value: '1'}]}}
            => ok

            spec {securityContext: {fsGroup: -1, runAsUser: -2, runAsGroup: -3, supplementalGroups: [1, -4]}}
            => spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive
            => spec.securityContext.runAsUser: Invalid value: -2: must be between 0 and 2147483647, inclusive
            => spec.securityContext.runAsGroup: Invalid value: -3: must be between 0 and 2147483647, inclusive
            => spec.securityContext.supplementalGroups[1]: Invalid value: -4: must be between 0 and 2147483647, inclusive

            spec {securityContext: {fsGroupChangePolicy: Never, supplementalGroupsPolicy: Loose, seLinuxChangePolicy: None}}
            => spec.securityContext.fsGroupChangePolicy: Unsupported value: "Never": supported values: "Always", "OnRootMismatch"
            => spec.securityContext.supplementalGroupsPolicy: Unsupported value: "Loose": supported values: "Merge", "Strict"
            => spec.securityContext.seLinuxChangePolicy: Unsupported value: "None": supported values: "MountOption", "Recursive"

            spec {hostPID: true, shareProcessNamespace: true}
            => spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled

            spec {securityContext: {sysctls: [{value: x}, {name: A, value: x}, {name: kernel.sem, value: x}, {name: kernel.sem, value: y}]}}
            => spec.securityContext.sysctls[0].name: Required value
            => spec.securityContext.sysctls[1].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$
            => spec.securityContext.sysctls[3].name: Duplicate value: "kernel.sem"

            spec {hostNetwork: true, hostIPC: true, securityContext: {sysctls: [{name: net.core.somaxconn, value: x}, {name: kernel.shmmax, value: x}]}}
            => spec.securityContext.sysctls[0].name: Invalid value: "net.core.somaxconn": may not be specified when 'hostNetwork' is true
            => spec.securityContext.sysctls[1].name: Invalid value: "kernel.shmmax": may not be specified when 'hostIPC' is true

            spec {hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true}
            => spec.hostNetwork: Forbidden: when `hostUsers` is false
            => spec.HostPID: Forbidden: when `hostUsers` is false
            => spec.HostIPC: Forbidden: when `hostUsers` is false
            """);
    }

    @TestFactory
    Stream<DynamicTest> securityContext_mustMatchOperatingSystem() {
        return PodRuleCases.validated("""
            spec {os: {name: linux}, securityContext: {runAsUser: 1}}
            => ok

            spec {os: {}}
            => spec.os.name: Required value

            spec {os: {name: plan9}}
            => spec.os: Unsupported value: "plan9": supported values: "linux", "windows"

            spec {os: {name: linux}, securityContext: {windowsOptions: {runAsUserName: x}}}
            container {securityContext: {windowsOptions: {}}}
            => spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod
            => spec.containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod

            spec {os: {name: windows}, hostPID: false, hostIPC: true, securityContext: {fsGroup: 1}}
            init {securityContext: {privileged: false}}
            => spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod
            => spec.hostIPC: Forbidden: cannot be set for a windows pod
            => spec.initContainers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod
            """);
    }
}
