package dev.mooring.api.table;

import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Cases of Kubernetes' own printer tests; all tables but the last one check only the first columns. */
class PodColumnsTest {

    @TestFactory
    List<DynamicTest> rows_containerStates_haveExpectedCells() {
        return RowCases.tests(Columns.POD.subList(0, 4), """
            waiting reason of a container wins over the phase
            {metadata: {name: 'p'}, spec: {containers: [{}, {}]}, status: {phase: 'podPhase', containerStatuses: [
              {ready: true, restartCount: 3, state: {running: {}}},
              {restartCount: 3, state: {waiting: {reason: 'CrashLoopBackOff'}}}]}}
            → p | 1/2 | CrashLoopBackOff | 6

            phase if all containers run
            {metadata: {name: 'p'}, spec: {containers: [{}, {}]}, status: {phase: 'Running', containerStatuses: [
              {ready: true, restartCount: 3, state: {running: {}}}, {restartCount: 3, state: {running: {}}}]}}
            → p | 1/2 | Running | 6

            reason of the first container wins
            {metadata: {name: 'p'}, spec: {containers: [{}, {}]}, status: {phase: 'Running', containerStatuses: [
              {state: {waiting: {reason: 'ImagePullBackOff'}}}, {state: {terminated: {reason: 'Error', exitCode: 1}}}]}}
            → p | 0/2 | ImagePullBackOff | 0

            a reason of the Pod wins over its phase
            {metadata: {name: 'p'}, spec: {containers: [{}]}, status: {phase: 'Failed', reason: 'Evicted'}}
            → p | 0/1 | Evicted | 0

            no status yet
            {metadata: {name: 'p'}, spec: {containers: [{}]}}
            → p | 0/1 |  | 0

            exit code without a reason
            {metadata: {name: 'p'}, spec: {containers: [{}]}, status: {phase: 'Failed', containerStatuses: [
              {state: {terminated: {exitCode: 2}}}]}}
            → p | 0/1 | ExitCode:2 | 0

            signal without a reason
            {metadata: {name: 'p'}, spec: {containers: [{}]}, status: {phase: 'Failed', containerStatuses: [
              {state: {terminated: {signal: 9, exitCode: 137}}}]}}
            → p | 0/1 | Signal:9 | 0

            one completed, one running and the Pod ready
            {metadata: {name: 'p'}, spec: {containers: [{}, {}]}, status: {phase: 'Running',
              conditions: [{type: 'Ready', status: 'True'}], containerStatuses: [
              {state: {terminated: {reason: 'Completed', exitCode: 0}}}, {ready: true, state: {running: {}}}]}}
            → p | 1/2 | Running | 0

            one completed, one running and the Pod not ready
            {metadata: {name: 'p'}, spec: {containers: [{}, {}]}, status: {phase: 'Running',
              conditions: [{type: 'Ready', status: 'False'}], containerStatuses: [
              {state: {terminated: {reason: 'Completed', exitCode: 0}}}, {ready: true, state: {running: {}}}]}}
            → p | 1/2 | NotReady | 0

            scheduling gated
            {metadata: {name: 'p'}, spec: {containers: [{}]}, status: {phase: 'Pending',
              conditions: [{type: 'PodScheduled', status: 'False', reason: 'SchedulingGated'}]}}
            → p | 0/1 | SchedulingGated | 0

            time of the last restart
            {metadata: {name: 'p'}, spec: {containers: [{}, {}]}, status: {phase: 'Running', containerStatuses: [
              {restartCount: 3, lastState: {terminated: {finishedAt: '2026-03-01T11:59:50Z'}}},
              {restartCount: 3, lastState: {terminated: {finishedAt: '2026-03-01T11:59:40Z'}}}]}}
            → p | 0/2 | Running | 6 (10s ago)

            termination without a restart is not shown
            {metadata: {name: 'p'}, spec: {containers: [{}]}, status: {phase: 'Running', containerStatuses: [
              {restartCount: 0, lastState: {terminated: {finishedAt: '2026-03-01T11:59:50Z'}}}]}}
            → p | 0/1 | Running | 0
            """);
    }

    @TestFactory
    List<DynamicTest> rows_deletedPods_haveExpectedCells() {
        return RowCases.tests(Columns.POD.subList(0, 3), """
            being deleted
            {metadata: {name: 'p', deletionTimestamp: '2026-03-01T12:00:30Z'}, spec: {containers: [{}]}, status: {phase: 'Running',
              containerStatuses: [{ready: true, state: {running: {}}}]}}
            → p | 1/1 | Terminating

            being deleted on a lost node
            {metadata: {name: 'p', deletionTimestamp: '2026-03-01T12:00:30Z'}, spec: {containers: [{}]},
              status: {phase: 'Running', reason: 'NodeLost'}}
            → p | 0/1 | Unknown

            completed before deletion
            {metadata: {name: 'p', deletionTimestamp: '2026-03-01T12:00:30Z'}, spec: {containers: [{}]}, status: {phase: 'Succeeded',
              containerStatuses: [{state: {terminated: {reason: 'Completed', exitCode: 0}}}]}}
            → p | 0/1 | Completed

            failed before deletion
            {metadata: {name: 'p', deletionTimestamp: '2026-03-01T12:00:30Z'}, spec: {containers: [{}]}, status: {phase: 'Failed',
              containerStatuses: [{state: {terminated: {reason: 'Error', exitCode: 1}}}]}}
            → p | 0/1 | Error
            """);
    }

    @TestFactory
    List<DynamicTest> rows_initContainers_haveExpectedCells() {
        return RowCases.tests(Columns.POD.subList(0, 4), """
            number of completed init containers
            {metadata: {name: 'p'}, spec: {initContainers: [{name: 'a'}, {name: 'b'}], containers: [{}]}, status: {phase: 'Pending',
              initContainerStatuses: [{name: 'a', state: {terminated: {exitCode: 0}}}, {name: 'b', state: {running: {}}}],
              containerStatuses: [{state: {waiting: {reason: 'PodInitializing'}}}]}}
            → p | 0/1 | Init:1/2 | 0

            failed with a reason
            {metadata: {name: 'p'}, spec: {initContainers: [{name: 'a'}], containers: [{}]}, status: {phase: 'Pending',
              initContainerStatuses: [{name: 'a', restartCount: 3, state: {terminated: {exitCode: 1, reason: 'Error'}},
              lastState: {terminated: {finishedAt: '2026-03-01T11:55:00Z'}}}]}}
            → p | 0/1 | Init:Error | 3 (5m ago)

            failed without a reason
            {metadata: {name: 'p'}, spec: {initContainers: [{name: 'a'}], containers: [{}]}, status: {phase: 'Pending',
              initContainerStatuses: [{name: 'a', state: {terminated: {exitCode: 7}}}]}}
            → p | 0/1 | Init:ExitCode:7 | 0

            killed by a signal
            {metadata: {name: 'p'}, spec: {initContainers: [{name: 'a'}], containers: [{}]}, status: {phase: 'Pending',
              initContainerStatuses: [{name: 'a', state: {terminated: {exitCode: 137, signal: 9}}}]}}
            → p | 0/1 | Init:Signal:9 | 0

            waiting with a reason
            {metadata: {name: 'p'}, spec: {initContainers: [{name: 'a'}], containers: [{}]}, status: {phase: 'Pending',
              initContainerStatuses: [{name: 'a', state: {waiting: {reason: 'CrashLoopBackOff'}}}]}}
            → p | 0/1 | Init:CrashLoopBackOff | 0

            waiting for its turn
            {metadata: {name: 'p'}, spec: {initContainers: [{name: 'a'}], containers: [{}]}, status: {phase: 'Pending',
              initContainerStatuses: [{name: 'a', state: {waiting: {reason: 'PodInitializing'}}}]}}
            → p | 0/1 | Init:0/1 | 0

            restarts of completed init containers are not counted
            {metadata: {name: 'p'}, spec: {initContainers: [{name: 'a'}], containers: [{}]}, status: {phase: 'Running',
              initContainerStatuses: [{name: 'a', restartCount: 5, state: {terminated: {exitCode: 0, reason: 'Completed'}}}],
              containerStatuses: [{ready: true, restartCount: 1, state: {running: {}}}]}}
            → p | 1/1 | Running | 1

            an initialized Pod with a restarted init container
            {metadata: {name: 'p'}, spec: {initContainers: [{name: 'a'}], containers: [{}]}, status: {phase: 'Running',
              conditions: [{type: 'Initialized', status: 'True'}],
              initContainerStatuses: [{name: 'a', state: {running: {}}}],
              containerStatuses: [{ready: true, restartCount: 1, state: {running: {}}}]}}
            → p | 1/1 | Init:0/1 | 1
            """);
    }

    @TestFactory
    List<DynamicTest> rows_sidecars_areCountedAsContainers() {
        return RowCases.tests(Columns.POD.subList(0, 4), """
            a started sidecar is ready and lets the next init container run
            {metadata: {name: 'p'}, spec: {initContainers: [{name: 's', restartPolicy: 'Always'}, {name: 'b'}], containers: [{}]},
             status: {phase: 'Pending', initContainerStatuses: [
              {name: 's', ready: true, started: true, restartCount: 1, state: {running: {}}}, {name: 'b', state: {running: {}}}]}}
            → p | 1/2 | Init:1/2 | 1

            a sidecar that has not started blocks the others
            {metadata: {name: 'p'}, spec: {initContainers: [{name: 's', restartPolicy: 'Always'}], containers: [{}]},
             status: {phase: 'Pending', initContainerStatuses: [{name: 's', started: false, state: {running: {}}}]}}
            → p | 0/2 | Init:0/1 | 0

            restarts of sidecars count, with their time
            {metadata: {name: 'p'}, spec: {initContainers: [{name: 's', restartPolicy: 'Always'}], containers: [{}]},
             status: {phase: 'Running', initContainerStatuses: [{name: 's', ready: true, started: true, restartCount: 2,
              state: {running: {}}, lastState: {terminated: {finishedAt: '2026-03-01T11:00:00Z'}}}],
              containerStatuses: [{ready: true, restartCount: 1, state: {running: {}},
              lastState: {terminated: {finishedAt: '2026-03-01T10:00:00Z'}}}]}}
            → p | 2/2 | Running | 3 (60m ago)
            """);
    }

    @TestFactory
    List<DynamicTest> rows_wideColumns_haveExpectedCells() {
        return RowCases.tests(Columns.POD, """
            nothing known
            {metadata: {name: 'p', creationTimestamp: '2026-03-01T11:58:00Z'}, spec: {containers: [{}]}, status: {phase: 'Pending'}}
            → p | 0/1 | Pending | 0 | 2m | <none> | <none> | <none> | <none>

            all known
            {metadata: {name: 'p'}, spec: {containers: [{}], nodeName: 'n1',
              readinessGates: [{conditionType: 'a'}, {conditionType: 'b'}, {conditionType: 'c'}]},
             status: {phase: 'Running', podIPs: [{ip: '10.1.1.1'}, {ip: '2001:db8::'}], nominatedNodeName: 'n2',
              conditions: [{type: 'a', status: 'True'}, {type: 'b', status: 'False'}]}}
            → p | 0/1 | Running | 0 | <unknown> | 10.1.1.1 | n1 | n2 | 1/3

            only the older field for the address
            {metadata: {name: 'p'}, spec: {containers: [{}]}, status: {phase: 'Running', podIP: '10.1.1.2'}}
            → p | 0/1 | Running | 0 | <unknown> | 10.1.1.2 | <none> | <none> | <none>
            """);
    }
}
