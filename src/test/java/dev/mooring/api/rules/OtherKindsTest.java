package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Tests kinds with few rules: Event, Lease, ServiceAccount, Service, VolumeAttachment and the kinds of mooring.dev. */
class OtherKindsTest {
    private static final String LONG = "x".repeat(129);

    private final RuleCases attachment = RuleCases.of(new VolumeAttachmentRules(), """
        metadata: {name: a1}
        spec: {attacher: disk.example.com, nodeName: n1, source: {persistentVolumeName: pv1}}
        """);
    private final RuleCases desired = RuleCases.of(new DesiredVolumeRules(), """
        metadata: {name: d1}
        spec: {node: n1, plugin: kubernetes.io/nfs, volumeName: data, pod: {namespace: team, name: app, uid: u}}
        """);
    private final RuleCases actual = RuleCases.of(new ActualVolumeRules(), """
        metadata: {name: a1}
        spec: {node: n1, plugin: kubernetes.io/nfs, volume: nfs/nas}
        status: {state: Mounted, attempts: 0, mounts: [{path: /a}]}
        """);

    private final RuleCases operation = RuleCases.of(new VolumeOperationRules(), """
        metadata: {name: provision-1}
        spec: {operation: Provision, node: n1, provisioner: mooring.dev/hostpath, persistentVolume: pv1, persistentVolumeUID: u, path: a/b, capacity: 1Gi}
        """);

    @TestFactory
    Stream<DynamicTest> updateOperationStatus_source_isSetOnceByRunningProvision() {
        String done = "status: {state: Succeeded, source: {hostPath: {path: /a}}}";
        String illFormed = "must be an object with exactly one of [hostPath, local, nfs, csi]";
        return Stream.of(
                        operation
                                .stored("status: {state: Running}")
                                .updatingStatus(done + """
                                                                                         => ok
                                    status: {state: Failed, source: {hostPath: {path: /a}}} => status.source: Forbidden: may only be set when a Provision has succeeded
                                    status: {state: Succeeded, source: {}}               => status.source: Invalid value: {}: MUST
                                    status: {state: Succeeded, source: [{hostPath: {}}]} => status.source: Invalid value: [{"hostPath":{}}]: MUST
                                    status: {state: Succeeded, source: {hostPath: /etc}} => status.source: Invalid value: {"hostPath":"/etc"}: MUST
                                    status: {state: Succeeded, source: {nfs: {}, claimRef: {}}} => status.source: Invalid value: {"nfs":{},"claimRef":{}}: MUST
                                    """.replace("MUST", illFormed)),
                        operation.stored("status: {state: Failed}").updatingStatus(done + """
                             => status.state: Invalid value: "Succeeded": may only follow "Running"
                            status: {state: Running} => ok
                            status: {state: Pending} => ok
                            """),
                        operation.stored("").updatingStatus("""
                            status: {state: Succeeded} => status.state: Invalid value: "Succeeded": may only follow "Running"
                            status: {state: Failed}    => ok
                            """),
                        operation.stored(done).updatingStatus(done + """
                             => ok
                            status: {state: Running} => ok
                            status: {state: Succeeded, source: {hostPath: {path: /etc}}} => status.source: Invalid value: {"hostPath":{"path":"/etc"}}: field is immutable
                            """),
                        operation
                                .stored("spec.operation: Grow ; status: {state: Running}")
                                .updatingStatus(done
                                        + " => status.source: Forbidden: may only be set when a Provision has"
                                        + " succeeded"))
                .flatMap(each -> each);
    }

    @TestFactory
    Stream<DynamicTest> createEvent_changedFields_reportsViolations() {
        return RuleCases.of(new EventRules(), """
            metadata: {name: e1, namespace: team}
            involvedObject: {kind: Pod, namespace: team, name: app}
            """).creating("""
                                                   => ok
                involvedObject.namespace: other    => involvedObject.namespace: Invalid value: "other": does not match event.namespace
                -involvedObject.namespace          => involvedObject.namespace: Invalid value: "": does not match event.namespace
                -involvedObject.namespace ; metadata.namespace: default => ok
                eventTime: x                       => [reportingComponent: Required value, reportingComponent: Invalid value: "": name part must be non-empty, reportingComponent: Invalid value: "": name part must consist of…
                eventTime: x ; reportingComponent: a.b/c ; reportingInstance: i ; action: a ; reason: r => ok
                eventTime: x ; reportingComponent: a.b/c => [reportingInstance: Required value, action: Required value, reason: Required value]
                eventTime: x ; reportingComponent: c ; reportingInstance: LONG ; action: LONG ; reason: LONG => [reportingInstance: Invalid value: "": can have at most 128 characters, action: Invalid value: "": can have at most 128 characters, reason: Invalid value: "": can have at most 128 characters]
                eventTime: x ; reportingComponent: c ; reportingInstance: i ; action: a ; reason: r ; message: LONGLONGLONGLONGLONGLONGLONGLONG => message: Invalid value: "": can have at most 1024 characters
                """.replace("LONG", LONG));
    }

    @TestFactory
    Stream<DynamicTest> createLease_changedFields_reportsViolations() {
        return RuleCases.of(new LeaseRules(), "metadata: {name: l1, namespace: team}")
                .creating("""
                                                                       => ok
                    spec: {leaseDurationSeconds: 1, leaseTransitions: 0} => ok
                    spec: {leaseDurationSeconds: 0}                    => spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0
                    spec: {leaseTransitions: -1}                       => spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0
                    """);
    }

    @TestFactory
    Stream<DynamicTest> createServiceAccount_isValid() {
        return RuleCases.of(new ServiceAccountRules(), "metadata: {name: me, namespace: team}")
                .creating("secrets: [{name: any}] => ok");
    }

    private final RuleCases service = RuleCases.of(new ServiceRules(), """
        metadata: {name: web, namespace: team}
        spec: {type: ClusterIP, clusterIP: 10.96.0.7, ports: [{port: 80}], selector: {app: web}}
        """);

    @TestFactory
    Stream<DynamicTest> createService_changedFields_reportsViolations() {
        return service.creating("""
                                              => ok
            spec.ports: []                    => spec.ports: Required value
            spec.clusterIP: None ; spec.ports: [] => ok
            spec.ports: [{port: 0}]           => [spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, spec…
            spec.ports: [{port: 80, targetPort: http}]    => ok
            spec.ports: [{port: 80, targetPort: "-"}]     => [spec.ports[0].targetPort: Invalid value: "-": must contain…
            spec.ports: [{port: 80}, {port: 81}]          => [spec.ports[0].name: Required value, spec.ports[1].name: Required value]
            spec.ports: [{name: a, port: 80}, {name: a, port: 81}] => spec.ports[1].name: Duplicate value: "a"
            spec.ports: [{port: 80, nodePort: 30080}]     => spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'
            spec.ports: [{port: 53, protocol: UDP}]       => spec.ports[0].protocol: Forbidden: Mooring forwards only TCP: make the Service headless (clusterIP: None), whose name has the addresses of the Pods themselves
            spec.ports: [{port: 53, protocol: ICMP}]      => spec.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"
            spec.clusterIP: None ; spec.ports: [{port: 53, protocol: UDP}] => ok
            spec.clusterIP: None ; spec.type: NodePort   => spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services
            spec.type: LoadBalancer           => spec.type: Forbidden: Mooring offers no load balancers: use type NodePort, which opens a port of the machine
            spec.type: ExternalName           => spec.type: Forbidden: Mooring offers no aliases of external names: use the external name itself, for example from a ConfigMap
            spec.type: Other                  => spec.type: Unsupported value: "Other": supported values: "ClusterIP", "NodePort"
            spec.externalIPs: [10.0.0.1]      => spec.externalIPs: Forbidden: Mooring opens no other addresses: use type NodePort
            spec.ipFamilies: [IPv6]           => spec.ipFamilies[0]: Unsupported value: "IPv6": supported values: "IPv4"
            spec.ipFamilyPolicy: RequireDualStack => spec.ipFamilyPolicy: Forbidden: Services have IPv4 addresses only: use SingleStack
            spec.sessionAffinity: Cookie      => spec.sessionAffinity: Unsupported value: "Cookie": supported values: "ClientIP", "None"
            spec.clusterIPs: [10.96.0.8]      => spec.clusterIPs: Invalid value: ["10.96.0.8"]: first value must match `clusterIP`
            """);
    }

    @TestFactory
    Stream<DynamicTest> updateService_changedFields_reportsViolations() {
        return service.stored("").updating("""
            metadata.labels: {a: b}           => ok
            spec.selector: {app: other}       => ok
            -spec.clusterIP                   => ok
            spec.type: NodePort               => ok
            spec.clusterIP: 10.96.0.8         => spec.clusterIPs[0]: Invalid value: "10.96.0.8": may not change once set
            """);
    }

    @TestFactory
    Stream<DynamicTest> createEndpointSlice_changedFields_reportsViolations() {
        return RuleCases.of(new EndpointSliceRules(), """
            metadata: {name: web, namespace: team}
            addressType: IPv4
            endpoints: [{addresses: [192.168.1.5]}]
            ports: [{port: 80}]
            """).creating("""
                                                                => ok
                addressType: IPv6                               => addressType: Unsupported value: "IPv6": supported values: "IPv4"
                -addressType                                    => addressType: Required value
                endpoints: [{addresses: []}]                    => endpoints[0].addresses: Required value: must contain at least 1 address
                endpoints: [{addresses: [127.0.0.1]}]           => endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)
                endpoints: [{addresses: [169.254.169.254]}]     => endpoints[0].addresses[0]: Invalid value: "169.254.169.254": may not be in the link-local range (169.254.0.0/16, fe80::/10)
                endpoints: [{addresses: [0.0.0.0]}]             => endpoints[0].addresses[0]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0 or ::)
                endpoints: [{addresses: [10.0.0]}]              => endpoints[0].addresses[0]: Invalid value: "10.0.0": must be a valid IPv4 address, e.g. 10.9.8.7
                ports: [{port: 80, protocol: ICMP}]             => ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"
                """);
    }

    @TestFactory
    Stream<DynamicTest> createAttachment_changedFields_reportsViolations() {
        return attachment.creating("""
                                                     => ok
            -spec.attacher                           => [spec.attacher: Required value, spec.attacher: Invalid value: "": a lowercase…
            spec.attacher: a_b                       => spec.attacher: Invalid value: "a_b": a lowercase…
            spec.nodeName: N1                        => spec.nodeName: Invalid value: "N1": a lowercase…
            spec.source: {}                          => spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName
            spec.source: {persistentVolumeName: a, inlineVolumeSpec: {}} => spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName
            spec.source: {persistentVolumeName: ""}  => [spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName, spec…
            spec.source: {inlineVolumeSpec: {accessModes: [ReadWriteOnce], csi: {driver: d, volumeHandle: v}}} => ok
            spec.source: {inlineVolumeSpec: {accessModes: [ReadWriteOnce], nfs: {server: nas, path: /a}}}      => spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes
            spec.source: {inlineVolumeSpec: {csi: {driver: d, volumeHandle: v}}}                               => spec.source.inlineVolumeSpec.accessModes: Required value
            spec.source: {inlineVolumeSpec: {accessModes: [ReadWriteOnce], csi: {driver: d, volumeHandle: v}, claimRef: {}}} => spec.source.inlineVolumeSpec.claimRef: Forbidden: may not be specified in the context of inline volumes
            """);
    }

    @TestFactory
    Stream<DynamicTest> updateAttachment_spec_isImmutable() {
        return attachment.stored("").updating("""
            metadata.labels: {a: b} => ok
            spec.nodeName: n2       => spec: Invalid value: {"attacher":"disk.example.com","nodeName":"n2","source":{"persistentVolumeName":"pv1"}}: field is immutable
            """);
    }

    @TestFactory
    Stream<DynamicTest> updateAttachmentStatus_longErrorMessage_isTooLong() {
        return attachment.stored("").updatingStatus("""
            status: {attached: true, attachmentMetadata: {a: b}}  => ok
            status: {attachError: {message: LONG}}                => ok
            status: {attachError: {message: LONGLONGLONGLONGLONGLONGLONGLONG}} => status.attachError.message: Too long: may not be more than 1024 bytes
            status: {detachError: {message: LONGLONGLONGLONGLONGLONGLONGLONG}} => status.detachError.message: Too long: may not be more than 1024 bytes
            """.replace("LONG", LONG));
    }

    @Test
    void createAttachment_statusSent_isDropped() {
        assertThat(attachment.created("status: {attached: true}")).isEqualTo(attachment.sent(""));
    }

    @TestFactory
    Stream<DynamicTest> desiredVolume_createOrUpdate_reportsViolations() {
        return Stream.concat(desired.creating("""
                                     => ok
            -spec.node               => spec.node: Required value
            spec.node: N             => spec.node: Invalid value: "N": a lowercase…
            -spec.plugin             => ok
            spec.plugin: a b         => spec.plugin: Invalid value: "a b": name part…
            -spec.volumeName         => spec.volumeName: Required value
            spec.volumeName: a.b     => spec.volumeName: Invalid value: "a.b": must not contain dots
            spec.pod: {}             => [spec.pod.namespace: Required value, spec.pod.name: Required value, spec.pod.uid: Required value]
            spec.volumeMode: Tape    => spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"
            """), desired.stored("").updating("""
                spec.readOnly: true      => ok
                spec.node: n2            => spec.node: Invalid value: "n2": field is immutable
                spec.pod.uid: v          => spec.pod: Invalid value: {"namespace":"team","name":"app","uid":"v"}: field is immutable
                spec.volumeName: other   => spec.volumeName: Invalid value: "other": field is immutable
                """));
    }

    @TestFactory
    Stream<DynamicTest> actualVolume_createOrUpdate_reportsViolations() {
        return Stream.concat(actual.creating("""
                                     => ok
            -spec.node               => spec.node: Required value
            -spec.plugin             => spec.plugin: Required value
            status.attempts: -1      => status.attempts: Invalid value: -1: must be greater than or equal to 0
            status.mounts: [{}]      => status.mounts[0].path: Required value
            status.mounts: [{path: /a, attempts: -2}]  => status.mounts[0].attempts: Invalid value: -2: must be greater than or equal to 0
            spec.plugin: a b         => spec.plugin: Invalid value: "a b": name part…
            """), actual.updating("""
                spec.device: nas:/a      => ok
                spec.node: n2            => spec.node: Invalid value: "n2": field is immutable
                spec.volume: nfs/other   => spec.volume: Invalid value: "nfs/other": field is immutable
                """));
    }

    @Test
    void actualVolume_statusAndSpec_areUpdatedSeparately() {
        assertThat(actual.created("")).isEqualTo(actual.sent(""));
        assertThat(actual.updated("status: {}")).isEqualTo(actual.sent(""));
        assertThat(actual.statusUpdated("spec: {} ; status.state: Failed"))
                .isEqualTo(actual.sent("status.state: Failed"));
    }

    @TestFactory
    Stream<DynamicTest> createOperation_changedFields_reportsViolations() {
        return operation.creating("""
                                              => ok
            spec.operation: Grow              => ok
            spec.operation: Paint             => spec.operation: Unsupported value: "Paint": supported values: "Provision", "Delete", "Scrub", "Grow"
            -spec.operation                   => spec.operation: Required value
            -spec.node                        => spec.node: Required value
            spec.node: N                      => spec.node: Invalid value: "N": a lowercase…
            -spec.provisioner                 => spec.provisioner: Required value
            spec.provisioner: a b             => spec.provisioner: Invalid value: "a b": name part…
            -spec.persistentVolume            => spec.persistentVolume: Required value
            spec.persistentVolume: a/b        => spec.persistentVolume: Invalid value: "a/b": a lowercase…
            -spec.persistentVolumeUID         => spec.persistentVolumeUID: Required value
            spec.volumeMode: Tape             => spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"
            spec.capacity: -1                 => spec.capacity: Invalid value: "-1": must be greater than zero
            """);
    }

    @TestFactory
    Stream<DynamicTest> updateOperation_spec_allowsProvisionToDeleteOnly() {
        String refused =
                "spec: Forbidden: spec is immutable after creation except that Provision may become Delete, with its"
                        + " source";
        return operation.stored("").updating("""
            metadata.labels: {a: b}                                                         => ok
            spec.operation: Delete                                                          => ok
            spec.operation: Delete ; spec.source: {hostPath: {path: /a}}                    => ok
            spec.operation: Delete ; spec.path: c                                           => REFUSED
            spec.operation: Scrub                                                           => REFUSED
            spec.source: {hostPath: {path: /a}}                                             => REFUSED
            spec.capacity: 2Gi                                                              => REFUSED
            spec.node: n2                                                                   => REFUSED
            """.replace("REFUSED", refused));
    }

    @TestFactory
    Stream<DynamicTest> updateOperationStatus_invalidValues_reportsViolations() {
        return operation.stored("").updatingStatus("""
            status: {state: Running}                   => ok
            status: {state: Asleep}                    => status.state: Unsupported value: "Asleep": supported values: "Pending", "Running", "Succeeded", "Failed"
            status: {state: Failed, attempts: -1}      => status.attempts: Invalid value: -1: must be greater than or equal to 0
            status: {capacity: -1}                     => status.capacity: Invalid value: "-1": must be greater than or equal to 0
            """);
    }

    @Test
    void operation_statusAndSpec_areUpdatedSeparately() {
        assertThat(operation.created("status: {state: Succeeded}")).isEqualTo(operation.sent(""));
        assertThat(operation.updated("status: {state: Succeeded}")).isEqualTo(operation.sent(""));
        assertThat(operation.statusUpdated("spec.node: n2 ; status: {state: Running}"))
                .isEqualTo(operation.sent("status: {state: Running}"));
    }
}
