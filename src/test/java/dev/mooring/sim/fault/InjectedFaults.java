package dev.mooring.sim.fault;

import dev.mooring.control.Decision;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The injected faults that the simulation must detect. The number of runs that each needs is measured and listed in
 * docs/reliability.md.
 */
final class InjectedFaults {
    /** Faults in the log, the ledger, watches and the API. */
    private static final List<InjectedFault> STATE_STORE = List.of(
            new InjectedFault(
                    "acknowledged before the sync",
                    "A batch counts as durable after the write, before the sync",
                    "log.SegmentWriter",
                    "append",
                    5,
                    MethodMutation.omits("sync")),
            new InjectedFault(
                    "segment directory not synced",
                    "A new segment is synced, but its directory entry is not",
                    "log.SegmentWriter",
                    "create",
                    40,
                    MethodMutation.omits("syncDirectory")),
            new InjectedFault(
                    "recovered writes not synced",
                    "After a start, data that a killed process left in the page cache is published without a sync",
                    "log.SegmentWriter",
                    "resume",
                    120,
                    MethodMutation.omits("sync")),
            new InjectedFault(
                    "damaged batch treated as torn write",
                    "A damaged acknowledged batch is truncated like an incomplete one",
                    "log.TailClassifier",
                    "classify",
                    20,
                    MethodMutation.advised(MutationAdvices.DamageAsTornWrite.class)),
            new InjectedFault(
                    "reader skips a batch at a segment change",
                    "A reader that continues in the next segment skips its first batch",
                    "log.LogReader",
                    "moveOn",
                    10,
                    MethodMutation.advised(MutationAdvices.SkipsABatch.class)),
            new InjectedFault(
                    "snapshot not synced",
                    "A snapshot is renamed before its content is synced",
                    "log.Snapshots",
                    "write/4",
                    5,
                    MethodMutation.omits("sync")),
            new InjectedFault(
                    "interrupted batch not recovered",
                    "A batch that was durable when its writer was killed never reaches the World",
                    "world.Ledger",
                    "resolveInterruptedBatch",
                    15,
                    MethodMutation.omits("catchUp")),
            new InjectedFault(
                    "event time not monotonic",
                    "Events carry the machine's time, also after it was set back",
                    "world.Ledger",
                    "notBefore",
                    10,
                    MethodMutation.calls("machineTime", "max")),
            new InjectedFault(
                    "expectations not checked",
                    "The ledger does not check the expectations of a proposal",
                    "world.Decider",
                    "decide",
                    10,
                    MethodMutation.calls("expectsNothing", "expectations")),
            new InjectedFault(
                    "finalizers not checked",
                    "A deleted object disappears immediately despite its finalizers",
                    "world.Deletion",
                    "isHeld",
                    200,
                    MethodMutation.returns(false)),
            new InjectedFault(
                    "lost wake-up",
                    "Idle watchers are sometimes not notified",
                    "world.IdleWatchers",
                    "wake",
                    5,
                    MethodMutation.advised(MutationAdvices.SkipsEveryFifth.class)),
            new InjectedFault(
                    "watch skips an event",
                    "A notified watcher continues after the event instead of with it",
                    "world.WatchCursor",
                    "wake",
                    5,
                    MethodMutation.advised(MutationAdvices.OffByOne.class)),
            new InjectedFault(
                    "resourceVersion not checked",
                    "A replace overwrites changes that were made since the read",
                    "api.resource.WriteStrategy",
                    "requireSame",
                    5,
                    MethodMutation.doesNothing()),
            new InjectedFault(
                    "dry run committed",
                    "A dry run is committed like a normal request",
                    "api.resource.WriteOptions",
                    "isDryRun",
                    5,
                    MethodMutation.returns(false)));

    /** Faults in controllers and their loop. */
    private static final List<InjectedFault> CONTROL = List.of(
            new InjectedFault(
                    "conflict not requeued",
                    "A key is not requeued after a conflict",
                    "control.WorkQueue",
                    "conflicted",
                    30,
                    MethodMutation.omits("makeReady")),
            new InjectedFault(
                    "removals not delivered",
                    "Controllers are not notified of removals",
                    "control.ChangeSubscriber",
                    "deliver",
                    5,
                    MethodMutation.advised(MutationAdvices.DropsRemovals.class)),
            new InjectedFault(
                    "Pods using a claim not checked",
                    "A deleted claim disappears while Pods use it",
                    "control.protection.ClaimUsers",
                    "uses",
                    20,
                    MethodMutation.returns(false)),
            new InjectedFault(
                    "claim of a volume not checked",
                    "A deleted volume disappears while it is bound",
                    "control.protection.VolumeProtectionController$VolumeUsers",
                    "text",
                    5,
                    MethodMutation.returns("")),
            new InjectedFault(
                    "mounts of a volume not checked",
                    "A mount on a node protects neither the volume nor its claim",
                    "control.protection.NodeUsage",
                    "addUsage",
                    20,
                    MethodMutation.doesNothing()),
            new InjectedFault(
                    "users not checked before deletion of data",
                    "Data of a released volume is deleted or scrubbed while nodes or Pods use it",
                    "control.persistentvolume.ReclaimSync",
                    "users",
                    400,
                    MethodMutation.returns("")),
            new InjectedFault(
                    "foreground deletion not completed",
                    "An owner in foreground deletion stays after its dependents are gone",
                    "control.lifecycle.GarbageCollector",
                    "syncOwner",
                    50,
                    MethodMutation.returns(Decision.class, "none")),
            new InjectedFault(
                    "dependents not deleted",
                    "Dependents of a deleted owner are not deleted",
                    "control.lifecycle.GarbageCollector$DependentSync",
                    "sync",
                    35,
                    MethodMutation.returns(Decision.class, "none")),
            new InjectedFault(
                    "content of a namespace not checked",
                    "A namespace disappears while it contains objects",
                    "control.lifecycle.NamespaceController$ContentScan",
                    "scan",
                    5,
                    MethodMutation.doesNothing()));

    /** Faults on nodes. */
    private static final List<InjectedFault> NODE = List.of(
            new InjectedFault(
                    "unmount skipped",
                    "A volume is reported as unmounted without an unmount",
                    "node.volumemanager.PluginCalls",
                    "unmount",
                    5,
                    MethodMutation.returns(MutatedBehaviour.class, "removed")),
            new InjectedFault(
                            "start of a mount not recorded",
                            "Two nodes that see a volume as free both mount it, because neither records the start",
                            "node.volumemanager.AccessModeConflicts",
                            "recordHolder",
                            180,
                            MethodMutation.doesNothing())
                    .from(1100),
            new InjectedFault(
                    "back-off never reset",
                    "A successful mount keeps the failure count, so the next failure waits too long",
                    "node.volumemanager.OperationRecorder",
                    "recordFinished",
                    150,
                    MethodMutation.omits("forget")),
            new InjectedFault(
                    "running containers not checked before unmount",
                    "A volume is unmounted while a container of the Pod runs",
                    "node.pods.ContainerCache",
                    "mayRun",
                    20,
                    MethodMutation.returns(false)),
            new InjectedFault(
                    "leftover containers not removed",
                    "Containers of a deleted Pod are not removed",
                    "node.pods.PodController",
                    "removeLeftovers",
                    15,
                    MethodMutation.returnsEmpty()),
            new InjectedFault(
                    "exclusive access not checked",
                    "A volume for one node or one Pod is also mounted for another",
                    "node.volumemanager.AccessModeConflicts",
                    "byPodUid",
                    180,
                    MethodMutation.returns(Map.class, "of")));

    /** Removed tenant checks, with the number of runs that the simulation needs. */
    private static final Map<String, Integer> TENANTS = Map.of(
            "namespace of a token not checked", 5,
            "history of Secrets not restricted", 80,
            "start of a watch not restricted", 260,
            "relation to the node not checked", 5,
            "node of created objects not checked", 5);

    static final List<InjectedFault> ALL = Stream.concat(
                    Stream.of(STATE_STORE, CONTROL, NODE).flatMap(List::stream),
                    MissingChecks.ALL.stream()
                            .filter(each -> TENANTS.containsKey(each.name()))
                            .map(each -> each.within(TENANTS.get(each.name()))))
            .toList();

    private InjectedFaults() {}
}
