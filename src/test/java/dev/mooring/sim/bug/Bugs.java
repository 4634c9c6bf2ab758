package dev.mooring.sim.bug;

import dev.mooring.control.Decision;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The mistakes that the simulation is shown. How many lives it needs for each is measured, and stands in docs/reliability.md. */
final class Bugs {
    /** In the log, the ledger and what shows the World to others. */
    private static final List<Bug> SPINE = List.of(
            new Bug(
                    "acknowledged before the sync",
                    "A batch counts as durable when it is written, not when the disk says that it has it",
                    "log.SegmentWriter",
                    "append",
                    5,
                    Body.leavesOut("sync")),
            new Bug(
                    "new segment without a name",
                    "A new segment is synced, but the directory that names it is not",
                    "log.SegmentWriter",
                    "create",
                    20,
                    Body.leavesOut("syncDirectory")),
            new Bug(
                    "inherited writes not synced",
                    "After a start, what a killed process left in the page cache is shown without being synced first",
                    "log.SegmentWriter",
                    "resume",
                    30,
                    Body.leavesOut("sync")),
            new Bug(
                    "damage taken for a torn write",
                    "An acknowledged batch that is damaged is cut off like one that never was complete",
                    "log.TailJudge",
                    "judge",
                    20,
                    Body.advised(Advices.Harmless.class)),
            new Bug(
                    "reader skips at a segment change",
                    "Who reads on from one segment to the next misses its first batch",
                    "log.LogReader",
                    "moveOn",
                    10,
                    Body.advised(Advices.SkipsABatch.class)),
            new Bug(
                    "snapshot not synced",
                    "A snapshot gets its name before its content is on the disk",
                    "log.Snapshots",
                    "write",
                    5,
                    Body.leavesOut("sync")),
            new Bug(
                    "no catching up after a killed writer",
                    "A batch that was durable when its writer was killed is in the log, but never in the World",
                    "world.Ledger",
                    "settle",
                    15,
                    Body.leavesOut("catchUp")),
            new Bug(
                    "time follows the clock",
                    "Events are of the time that the machine's clock shows, even if that was set back",
                    "world.Ledger",
                    "notBefore",
                    10,
                    Body.calls("machineTime", "max")),
            new Bug(
                    "expectations ignored",
                    "The ledger does not look whether what a proposal was decided upon still holds",
                    "world.Decider",
                    "decide",
                    10,
                    Body.calls("expectsNothing", "expectations")),
            new Bug(
                    "finalizers hold nothing",
                    "An object that is deleted goes at once, whoever holds it",
                    "world.Deletion",
                    "isHeld",
                    40,
                    Body.answers(false)),
            new Bug(
                    "lost wake-up",
                    "Now and then nobody wakes those who wait for events",
                    "world.ParkingLot",
                    "wake",
                    5,
                    Body.advised(Advices.NowAndThenNothing.class)),
            new Bug(
                    "watch one too far",
                    "Who is woken for an event goes on with the one after it",
                    "world.Tap",
                    "wake",
                    5,
                    Body.advised(Advices.OneTooFar.class)),
            new Bug(
                    "resourceVersion ignored",
                    "Who replaces an object overwrites what others have changed since it was read",
                    "api.resource.Writing",
                    "requireSame",
                    5,
                    Body.doesNothing()),
            new Bug(
                    "dry run happens",
                    "A request that is only to be tried is committed",
                    "api.resource.WriteOptions",
                    "isDryRun",
                    5,
                    Body.answers(false)));

    /** In controllers, and in what runs them. */
    private static final List<Bug> CONTROL = List.of(
            new Bug(
                    "bind without precondition",
                    "A claim is bound to a volume whatever has become of both since that was decided",
                    "control.bind.Bind",
                    "proposal",
                    80,
                    Body.advised(Advices.Regardless.class)),
            new Bug(
                    "lost race forgotten",
                    "What could not be written because somebody was faster is not looked at again",
                    "control.WorkQueue",
                    "conflicted",
                    30,
                    Body.leavesOut("makeReady")),
            new Bug(
                    "removals overlooked",
                    "Controllers are not told that something is gone",
                    "control.EventFeed",
                    "deliver",
                    5,
                    Body.advised(Advices.OverlooksRemovals.class)),
            new Bug(
                    "claim's protection lifted too early",
                    "A claim that is deleted goes while Pods use it",
                    "control.protect.PodUse",
                    "uses",
                    20,
                    Body.answers(false)),
            new Bug(
                    "volume's protection lifted too early",
                    "A volume that is deleted goes while it is bound",
                    "control.protect.VolumeProtection",
                    "users",
                    5,
                    Body.answers("")),
            new Bug(
                    "mounts are no use",
                    "That a node has a volume mounted protects neither the volume nor its claim",
                    "control.protect.NodeUse",
                    "addHold",
                    20,
                    Body.doesNothing()),
            new Bug(
                    "data deleted under its users",
                    "The data of a released volume is deleted or emptied while nodes or Pods still have it",
                    "control.reclaim.Reclaim",
                    "users",
                    50,
                    Body.answers("")),
            new Bug(
                    "owner waits for ever",
                    "An owner that was to go after its dependents stays when they are gone",
                    "control.collect.GarbageCollector",
                    "asOwner",
                    50,
                    Body.answers(Decision.class, "nothing")),
            new Bug(
                    "orphans stay",
                    "What belongs to something that is gone is not deleted",
                    "control.collect.GarbageCollector$Belonging",
                    "decide",
                    35,
                    Body.answers(Decision.class, "nothing")),
            new Bug(
                    "namespace goes first",
                    "A namespace goes while there is something in it",
                    "control.namespace.NamespaceCleaner$Pass",
                    "over",
                    5,
                    Body.doesNothing()));

    /** On nodes. */
    private static final List<Bug> NODE = List.of(
            new Bug(
                    "unmount skipped",
                    "A volume is called unmounted without having been",
                    "node.reconcile.PluginCalls",
                    "unmount",
                    5,
                    Body.answers(Wrongs.class, "gone")),
            new Bug(
                    "taken without a word",
                    "Two nodes that see a volume free at the same time both mount it: neither writes down that it"
                            + " begins",
                    "node.reconcile.Exclusion",
                    "take",
                    60,
                    Body.doesNothing()),
            new Bug(
                    "back-off never reset",
                    "A mount that went well keeps the count of failures before it, so the next failure waits as long"
                            + " as the last of many",
                    "node.reconcile.Brackets",
                    "close",
                    20,
                    Body.leavesOut("forget")),
            new Bug(
                    "unmounted under a container",
                    "A volume is taken away while a container of the Pod runs with it",
                    "node.pod.ContainerBook",
                    "mayRun",
                    20,
                    Body.answers(false)),
            new Bug(
                    "containers of the dead stay",
                    "What is left of a Pod that does not exist any more is not removed",
                    "node.pod.PodDriver",
                    "clearAway",
                    15,
                    Body.answersNothing()),
            new Bug(
                    "nobody kept out",
                    "A volume for one node or one Pod is mounted for another one, too",
                    "node.reconcile.Exclusion",
                    "of",
                    60,
                    Body.answers(Map.class, "of")));

    static final List<Bug> ALL =
            Stream.of(SPINE, CONTROL, NODE).flatMap(List::stream).toList();

    private Bugs() {}
}
