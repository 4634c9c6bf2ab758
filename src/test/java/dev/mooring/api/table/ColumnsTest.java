package dev.mooring.api.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.types.Column;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ColumnsTest {

    /** Column headers as kubectl prints them, wide columns in brackets. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        PersistentVolume      | Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age, [VolumeMode]
        PersistentVolumeClaim | Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, [VolumeMode]
        StorageClass          | Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age
        VolumeAttachment      | Name, Attacher, PV, Node, Attached, Age
        Pod                   | Name, Ready, Status, Restarts, Age, [IP], [Node], [Nominated Node], [Readiness Gates]
        Node                  | Name, Status, Roles, Age, Version, [Internal-IP], [External-IP], [OS-Image], [Kernel-Version], [Container-Runtime]
        Namespace             | Name, Status, Age
        ConfigMap             | Name, Data, Age
        Secret                | Name, Type, Data, Age
        Event                 | Last Seen, Type, Reason, Object, [Subobject], [Source], Message, [First Seen], [Count], [Name]
        Service               | Name, Type, Cluster-IP, External-IP, Port(s), Age, [Selector]
        Job                   | Name, Status, Completions, Duration, Age, [Containers], [Images], [Selector]
        CronJob               | Name, Schedule, Timezone, Suspend, Active, Last Schedule, Age, [Containers], [Images], [Selector]
        PodTemplate           | Name, Containers, Images, Pod Labels
        ReplicationController | Name, Desired, Current, Ready, Age, [Containers], [Images], [Selector]
        ResourceQuota         | Name, Request, Limit, Age
        RuntimeClass          | Name, Handler, Age
        PriorityClass         | Name, Value, Global-Default, Age, PreemptionPolicy
        ServiceAccount        | Name, Secrets, Age
        Lease                 | Name, Holder, Age
        DesiredVolume         | Name, Pod, Volume, Plugin, State, Reason, Age, [Node], [Claim], [Message]
        ActualVolume          | Name, Pod, Volume, Plugin, State, Attempts, Next Try, Reason, Age, [Node], [Since], [Path], [Message]
        Token                 | Name, User, Role, Namespaces, Expires, Age
        VolumeOperation       | Name, Operation, Volume, Node, State, Attempts, Message, Age, [Provisioner], [Claim]
        Whatever              | Name, Age
        """)
    void columns_ofKind_haveExpectedNames(String kind, String expected) {
        assertThat(Columns.of(kind).stream()
                        .map(column -> column.priority() == 0 ? column.name() : "[" + column.name() + "]")
                        .collect(Collectors.joining(", ")))
                .isEqualTo(expected);
    }

    @Test
    void columns_nameColumn_hasNameFormat() {
        for (String kind : List.of("Pod", "Event", "Token", "Whatever")) {
            assertThat(Columns.of(kind).stream()
                            .filter(column -> column.format().equals("name"))
                            .map(Column::name))
                    .containsExactly("Name");
        }
    }

    @TestFactory
    List<DynamicTest> rows_ofNodes_haveExpectedCells() {
        return RowCases.tests(Columns.NODE, """
            ready
            {metadata: {name: 'n1', creationTimestamp: '2026-02-27T11:00:00Z',
              labels: {'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'control', 'node-role.kubernetes.io/': ''}},
             status: {conditions: [{type: 'Ready', status: 'True'}], addresses: [{type: 'Hostname', address: 'h'},
              {type: 'InternalIP', address: '10.0.0.1'}, {type: 'InternalIP', address: '10.0.0.2'}, {type: 'ExternalIP', address: '1.2.3.4'}],
              nodeInfo: {kubeletVersion: 'v1.32.4', osImage: 'Debian', kernelVersion: '6.1', containerRuntimeVersion: 'docker://27'}}}
            → n1 | Ready | control,worker | 2d1h | v1.32.4 | 10.0.0.1 | 1.2.3.4 | Debian | 6.1 | docker://27

            not ready and cordoned
            {metadata: {name: 'n2'}, spec: {unschedulable: true}, status: {conditions: [{type: 'Ready', status: 'Unknown'}]}}
            → n2 | NotReady,SchedulingDisabled | <none> | <unknown> |  | <none> | <none> | <unknown> | <unknown> | <unknown>

            ready for volumes only
            {metadata: {name: 'n3'}, status: {conditions: [{type: 'Ready', status: 'True'},
              {type: 'ContainerRuntimeReady', status: 'False', reason: 'NoContainerEngine'}]}}
            → n3 | Ready,NoContainerEngine | <none> | <unknown> |  | <none> | <none> | <unknown> | <unknown> | <unknown>

            nothing known
            {metadata: {name: 'n3'}, status: {conditions: [{type: 'DiskPressure', status: 'True'}]}}
            → n3 | Unknown | <none> | <unknown> |  | <none> | <none> | <unknown> | <unknown> | <unknown>
            """);
    }

    @TestFactory
    List<DynamicTest> rows_ofEvents_haveExpectedCells() {
        return RowCases.tests(Columns.EVENT, """
            counted
            {metadata: {name: 'e1'}, involvedObject: {kind: 'PersistentVolumeClaim', name: 'data', fieldPath: 'spec'},
             reason: 'ProvisioningFailed', message: '  no such class\\n', type: 'Warning', source: {component: 'pv', host: 'h1'},
             firstTimestamp: '2026-03-01T11:00:00Z', lastTimestamp: '2026-03-01T11:57:00Z', count: 6}
            → 3m | Warning | ProvisioningFailed | persistentvolumeclaim/data | spec | pv, h1 | no such class | 60m | 6 | e1

            a series
            {metadata: {name: 'e2'}, involvedObject: {kind: 'Pod', name: 'p'}, reason: 'R', message: 'm', type: 'Normal',
             eventTime: '2026-03-01T11:00:00.000000Z', series: {count: 3, lastObservedTime: '2026-03-01T11:59:30.000000Z'},
             reportingComponent: 'sched', reportingInstance: 'sched-1'}
            → 30s | Normal | R | pod/p |  | sched, sched-1 | m | 60m | 3 | e2

            once, with eventTime
            {metadata: {name: 'e3'}, involvedObject: {kind: 'Node'}, reason: 'R', message: 'm', type: 'Normal',
             eventTime: '2026-03-01T11:59:00.000000Z', reportingComponent: 'x', firstTimestamp: null, lastTimestamp: null}
            → 60s | Normal | R | node |  | x | m | 60s | 1 | e3

            without any time
            {metadata: {name: 'e4'}, involvedObject: {kind: 'Pod', name: 'p'}, reason: 'R', message: 'm', type: 'Normal'}
            → <unknown> | Normal | R | pod/p |  |  | m | <unknown> | 1 | e4
            """);
    }

    @ParameterizedTest(name = "{0}: {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        Namespace      | {metadata: {name: 'n'}, status: {phase: 'Active'}}                                               | n;Active;<unknown>
        Namespace      | {metadata: {name: 'n', deletionTimestamp: 'x'}, status: {phase: 'Terminating'}}                  | n;Terminating;<unknown>
        ConfigMap      | {metadata: {name: 'c'}, data: {a: '1', b: '2'}, binaryData: {c: 'AA=='}}                         | c;3;<unknown>
        ConfigMap      | {metadata: {name: 'c'}}                                                                          | c;0;<unknown>
        Secret         | {metadata: {name: 's'}, type: 'Opaque', data: {a: 'AA=='}}                                       | s;Opaque;1;<unknown>
        Service        | {metadata: {name: 's'}, spec: {type: 'ClusterIP', clusterIP: '10.0.0.1', ports: [{port: 443, protocol: 'TCP'}, {port: 53, protocol: 'UDP'}]}} | s;ClusterIP;10.0.0.1;<none>;443/TCP,53/UDP;<unknown>;<none>
        Service        | {metadata: {name: 's'}}                                                                          | s;;<none>;<none>;<none>;<unknown>;<none>
        ServiceAccount | {metadata: {name: 'a'}, secrets: [{}, {}]}                                                       | a;2;<unknown>
        Lease          | {metadata: {name: 'l'}, spec: {holderIdentity: 'me'}}                                            | l;me;<unknown>
        Lease          | {metadata: {name: 'l'}}                                                                          | l;;<unknown>
        Whatever       | {metadata: {name: 'w', creationTimestamp: '2026-03-01T11:59:59Z'}}                               | w;1s
        DesiredVolume  | {metadata: {name: 'd'}, spec: {node: 'n1', pod: {namespace: 'x', name: 'p'}, volumeName: 'data', persistentVolume: 'pv1', plugin: 'nfs', claim: {name: 'c'}}} | d;x/p;pv1;nfs;Resolved;;<unknown>;n1;c;
        DesiredVolume  | {metadata: {name: 'd'}, spec: {node: 'n1', pod: {namespace: 'x', name: 'p'}, volumeName: 'data'}, status: {error: {reason: 'ClaimNotBound', message: 'PVC is not bound'}}} | d;x/p;data;;Waiting;ClaimNotBound;<unknown>;n1;;PVC is not bound
        DesiredVolume  | {metadata: {name: 'd'}, spec: {node: 'n1', pod: 'p'}}                                            | d;p;;;Resolved;;<unknown>;n1;;
        ActualVolume   | {metadata: {name: 'a'}, spec: {node: 'n1', persistentVolume: 'pv1', plugin: 'nfs'}, status: {state: 'Failed', attempts: 4, nextTry: '2026-03-01T12:00:08Z', lastError: {reason: 'NoRoute', message: 'no route'}, since: '2026-03-01T11:59:00Z'}} | a;;pv1;nfs;Failed;4;8s;NoRoute;<unknown>;n1;60s;;no route
        ActualVolume   | {metadata: {name: 'a'}, spec: {node: 'n1', plugin: 'nfs'}, status: {state: 'Mounted', mounts: [{path: '/a', volumeName: 'data', pod: {namespace: 'x', name: 'p'}}, {path: '/b', attempts: 2, nextTry: '2026-03-01T11:59:59Z', lastError: {reason: 'Slow', message: 'too slow'}}]}} | a;x/p + 1 more;data;nfs;Mounted;2;now;Slow;<unknown>;n1;<unknown>;/a;too slow
        ActualVolume   | {metadata: {name: 'a'}, spec: {node: 'n1'}, status: {deviceMountPath: '/g', mounts: [{health: {reason: 'StaleHandle', message: 'stale'}}]}} | a;;;;;0;;StaleHandle;<unknown>;n1;<unknown>;/g;stale
        ActualVolume   | {metadata: {name: 'a'}, spec: {node: 'n1'}}                                                      | a;;;;;0;;;<unknown>;n1;<unknown>;;
        VolumeOperation | {metadata: {name: 'grow-1'}, spec: {operation: 'Grow', persistentVolume: 'pv1', node: 'n1', provisioner: 'mooring.dev/block', claim: {namespace: 'team', name: 'data'}}, status: {state: 'Failed', attempts: 2, lastError: {message: 'no space'}}} | grow-1;Grow;pv1;n1;Failed;2;no space;<unknown>;mooring.dev/block;team/data
        VolumeOperation | {metadata: {name: 'grow-1'}, spec: {operation: 'Grow'}}                                          | grow-1;Grow;;;Pending;0;;<unknown>;;
        Token          | {metadata: {name: 't'}, spec: {user: 'me', role: 'admin'}}                                       | t;me;admin;<all>;<none>;<unknown>
        Token          | {metadata: {name: 't'}, spec: {user: 'me', role: 'edit', namespaces: ['a','b'], expires: '2026-03-02T12:00:00Z'}} | t;me;edit;a,b;24h;<unknown>
        Token          | {metadata: {name: 't'}, spec: {user: 'me', role: 'edit', expires: '2026-02-02T12:00:00Z'}} | t;me;edit;<all>;expired;<unknown>
        """)
    void row_ofOtherKind_hasExpectedCells(String kind, String object, String expected) {
        assertThat(RowCases.row(Columns.of(kind), LenientJson.json(object)).replace(" | ", ";"))
                .isEqualTo(expected);
    }

    @Test
    void row_fieldsOfWrongTypes_showsUnknown() {
        for (String kind : List.of(
                "PersistentVolume",
                "PersistentVolumeClaim",
                "Pod",
                "Node",
                "Event",
                "Token",
                "Lease",
                "ActualVolume",
                "DesiredVolume")) {
            assertThat(RowCases.row(
                            Columns.of(kind), LenientJson.json("{metadata: [], spec: 'x', status: 3, series: 1}")))
                    .as(kind)
                    .contains("<unknown>");
        }
    }
}
