package dev.mooring.api.rules.pod;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class VolumeMountRulesTest {
    @TestFactory
    Stream<DynamicTest> volumeMounts_volumeAndPath_areChecked() {
        return PodRuleCases.validated("""
            spec {volumes: [{name: v}]}
            container {volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /b, subPath: s/t, readOnly: true}]}
            => ok

            container {volumeMounts: [{name: nope, mountPath: /d}]}
            => spec.containers[0].volumeMounts[0].name: Not found: "nope"

            container {volumeMounts: [{mountPath: /d}]}
            => spec.containers[0].volumeMounts[0].name: Required value
            => spec.containers[0].volumeMounts[0].name: Not found: ""

            spec {volumes: [{name: v}]}
            container {volumeMounts: [{name: v}]}
            => spec.containers[0].volumeMounts[0].mountPath: Required value

            spec {volumes: [{name: v}]}
            container {volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /a}]}
            => spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique

            spec {volumes: [{name: v, hostPath: {}}]}
            container {volumeMounts: [{name: v, mountPath: /a}]}
            => spec.volumes[0].hostPath.path: Required value
            => spec.containers[0].volumeMounts[0].name: Not found: "v"

            spec {volumes: [{name: v}]}
            init {volumeMounts: [{name: w, mountPath: /a}]}
            => spec.initContainers[0].volumeMounts[0].name: Not found: "w"
            """);
    }

    @TestFactory
    Stream<DynamicTest> volumeMounts_subPath_staysInsideVolume() {
        return PodRuleCases.validated("""
            spec {volumes: [{name: v}]}
            container {volumeMounts: [{name: v, mountPath: /a, subPathExpr: 'pods/$(POD)'}]}
            => ok

            spec {volumes: [{name: v}]}
            container {volumeMounts: [{name: v, mountPath: /a, subPath: /s}]}
            => spec.containers[0].volumeMounts.subPath: Invalid value: "/s": must be a relative path

            spec {volumes: [{name: v}]}
            container {volumeMounts: [{name: v, mountPath: /a, subPath: s/../..}]}
            => spec.containers[0].volumeMounts.subPath: Invalid value: "s/../..": must not contain '..'

            spec {volumes: [{name: v}]}
            container {volumeMounts: [{name: v, mountPath: /a, subPath: s, subPathExpr: ../t}]}
            => spec.containers[0].volumeMounts[0].subPathExpr: Invalid value: "../t": subPathExpr and subPath are mutually exclusive
            => spec.containers[0].volumeMounts.subPathExpr: Invalid value: "../t": must not contain '..'
            """);
    }

    @TestFactory
    Stream<DynamicTest> volumeMounts_propagationAndRecursion_areChecked() {
        return PodRuleCases.validated("""
            spec {volumes: [{name: v}]}
            container {securityContext: {privileged: true}, volumeMounts: [{name: v, mountPath: /a, mountPropagation: Bidirectional}]}
            => ok

            spec {volumes: [{name: v}]}
            container {volumeMounts: [{name: v, mountPath: /a, mountPropagation: Bidirectional}]}
            => spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers

            spec {volumes: [{name: v}]}
            container {volumeMounts: [{name: v, mountPath: /a, mountPropagation: Both}]}
            => spec.containers[0].volumeMounts.mountPropagation: Unsupported value: "Both": supported values: "Bidirectional", "HostToContainer", "None"

            spec {volumes: [{name: v}]}
            container {volumeMounts: [{name: v, mountPath: /a, readOnly: true, recursiveReadOnly: Enabled}]}
            => ok

            spec {volumes: [{name: v}]}
            container {volumeMounts: [{name: v, mountPath: /a, recursiveReadOnly: IfPossible, mountPropagation: HostToContainer}]}
            => spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true
            => spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified

            spec {volumes: [{name: v}]}
            container {volumeMounts: [{name: v, mountPath: /a, recursiveReadOnly: Maybe}]}
            => spec.containers[0].volumeMounts.recursiveReadOnly: Unsupported value: "Maybe": supported values: "Disabled", "Enabled", "IfPossible"
            """);
    }

    @TestFactory
    Stream<DynamicTest> volumeDevices_requireClaimsAndNoMountOfSameVolume() {
        return PodRuleCases.validated("""
            spec {volumes: [{name: v, persistentVolumeClaim: {claimName: x}}]}
            container {volumeDevices: [{name: v, devicePath: /dev/x}]}
            => ok

            spec {volumes: [{name: v}]}
            container {volumeDevices: [{name: v, devicePath: /dev/x}]}
            => spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode

            container {volumeDevices: [{}]}
            => spec.containers[0].volumeDevices[0].name: Required value
            => spec.containers[0].volumeDevices[0].name: Not found: ""
            => spec.containers[0].volumeDevices[0].devicePath: Required value

            spec {volumes: [{name: v, persistentVolumeClaim: {claimName: x}}]}
            container {volumeDevices: [{name: v, devicePath: /dev/x}, {name: v, devicePath: /dev/x}, {name: w, devicePath: /dev/../y}]}
            => spec.containers[0].volumeDevices[1].name: Invalid value: "v": must be unique
            => spec.containers[0].volumeDevices[1].devicePath: Invalid value: "/dev/x": must be unique
            => spec.containers[0].volumeDevices[2].name: Not found: "w"
            => spec.containers[0].volumeDevices[2].devicePath: Invalid value: "/dev/../y": can not contain backsteps ('..')

            spec {volumes: [{name: v, persistentVolumeClaim: {claimName: x}}]}
            container {volumeMounts: [{name: v, mountPath: /x}], volumeDevices: [{name: v, devicePath: /x}]}
            => spec.containers[0].volumeMounts[0].name: Invalid value: "v": must not already exist in volumeDevices
            => spec.containers[0].volumeMounts[0].mountPath: Invalid value: "/x": must not already exist as a path in volumeDevices
            => spec.containers[0].volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts
            => spec.containers[0].volumeDevices[0].devicePath: Invalid value: "/x": must not already exist as a path in volumeMounts
            """);
    }
}
