package dev.mooring.node.reconcile;

import dev.mooring.control.Backoff;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.ActualVolume.Mount;
import dev.mooring.model.view.ActualVolume.Trying;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.PodOf;
import dev.mooring.node.status.AttachmentReport;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides what is to be done about one volume. The order of the steps is that of {@link #plan}, and matters. Pure; for one use.
 */
final class Planner {
    /** The kubelet's. Its odd end tells in a log which limit it was. */
    static final Backoff BACKOFF = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(122));

    /** The reason of an expansion that waits for the next mount. */
    static final String GROWS_WHEN_UNUSED = "GrowsWhenUnused";

    private static final Trying NEVER = new Trying(0, Optional.empty(), "", "", "");

    private final Sight sight;
    private final List<Step> steps = new ArrayList<>();
    private final List<String> waiting = new ArrayList<>();
    private Optional<Instant> next = Optional.empty();

    private Planner(Sight sight) {
        this.sight = sight;
    }

    static Plan plan(Sight sight) {
        return new Planner(sight).plan();
    }

    private Plan plan() {
        // First, so that what moves from one Pod to another has left the first before it reaches the second.
        unmountWhatNobodyWants();
        attach();
        mountForAll();
        mountForEach();
        expand();
        // Last, when the Pods have let go.
        unmountForAll();
        detach();
        return new Plan(steps, waiting, next, isNothingLeft() ? Plan.Ending.GOES : Plan.Ending.STAYS);
    }

    private void unmountWhatNobodyWants() {
        for (Mount each : sight.mounts()) {
            if (sight.isDesiredBy(each.pod().uid())) {
                continue;
            }
            if (sight.needing().contains(each.pod().uid())) {
                waiting.add("volume_unmount" + words(each.pod()) + ": the Pod may still use it");
            } else {
                step(Operation.UNMOUNT, Optional.of(each.pod()), each.trying(), "", "no Pod here wants it any more");
            }
        }
    }

    private void attach() {
        if (!isWanted() || !attaches() || isAttached()) {
            return;
        }
        if (!isAttachmentGranted()) {
            waiting.add("volume_attach: no VolumeAttachment gives the volume to this node yet");
            return;
        }
        step(Operation.ATTACH, Optional.empty(), trying(), wish(), "Pods here want it and this node may have it");
    }

    private void mountForAll() {
        if (!isWanted() || sight.device().isEmpty() || isReadyForAll()) {
            return;
        }
        if (attaches() && (!isAttached() || !isAttachmentGranted())) {
            waiting.add("mount_device: the device is not attached");
            return;
        }
        step(Operation.MOUNT_DEVICE, Optional.empty(), trying(), wish(), "Pods here want it");
    }

    private void mountForEach() {
        wishes().forEach((uid, wish) -> {
            Optional<Mount> mount = sight.actual().flatMap(actual -> actual.mountFor(uid));
            Optional<String> reason = reasonToMount(mount, wish);
            if (reason.isPresent()) {
                mount(wish, mount, reason.get());
            }
        });
    }

    private static Optional<String> reasonToMount(Optional<Mount> mount, Wish wish) {
        if (mount.isEmpty()) {
            return Optional.of("the Pod wants it");
        }
        Mount found = mount.get();
        if (!found.isMounted()) {
            return Optional.of("it is " + found.state() + " and the Pod wants it");
        }
        if (!found.content().equals(wish.first().content())) {
            return Optional.of("what it shows has changed");
        }
        if (found.isReadOnly() != (wish.access() == Access.READ_ONLY)) {
            return Optional.of("whether it may be written has changed");
        }
        return Optional.empty();
    }

    private void mount(Wish wish, Optional<Mount> mount, String reason) {
        PodOf pod = wish.first().pod();
        if (sight.keptOut().containsKey(pod.uid())) {
            waiting.add("volume_mount" + words(pod) + ": " + sight.keptOut().get(pod.uid()));
        } else if (isBeingLeft()) {
            waiting.add("volume_mount" + words(pod) + ": another Pod's mount of it goes first");
        } else if (sight.device().isPresent() && (!isReadyForAll() || isTakenAway())) {
            waiting.add("volume_mount" + words(pod) + ": it is not ready for Pods yet");
        } else {
            Trying trying = mount.map(Mount::trying).orElse(NEVER);
            step(Operation.MOUNT, Optional.of(pod), trying, Wish.fingerprint(wish.parts()), reason);
        }
    }

    private void expand() {
        if (!isWanted() || sight.device().isEmpty() || !isReadyForAll() || !steps.isEmpty()) {
            return;
        }
        long wanted = Wish.bytes(sight.desired());
        long has = sight.actual()
                .flatMap(ActualVolume::capacity)
                .map(Quantity::value)
                .orElse(wanted);
        boolean writable = sight.desired().stream().anyMatch(each -> !each.isReadOnly());
        boolean later =
                trying().reason().equals(GROWS_WHEN_UNUSED) && trying().tried().equals(wish());
        if (wanted > has && writable && later) {
            waiting.add("expand_volume: it can grow only when no Pod here has it");
        } else if (wanted > has && writable) {
            step(Operation.EXPAND, Optional.empty(), trying(), wish(), "it is smaller than wanted");
        }
    }

    private void unmountForAll() {
        if (isToStay() || !sight.mounts().isEmpty() || deviceMount().isEmpty()) {
            return;
        }
        step(Operation.UNMOUNT_DEVICE, Optional.empty(), trying(), "", "no Pod here has it any more");
    }

    private void detach() {
        if (isToStay()
                || !sight.mounts().isEmpty()
                || !deviceMount().isEmpty()
                || attachment().isEmpty()) {
            return;
        }
        if (isAttachmentGranted()) {
            waiting.add("volume_detach: the VolumeAttachment still gives the volume to this node");
            return;
        }
        step(Operation.DETACH, Optional.empty(), trying(), "", "this node may not have it any more");
    }

    /** Whether the entry can go: a mount, a device, a wish or an operation keeps it. */
    private boolean isNothingLeft() {
        return sight.actual().isPresent()
                && sight.desired().isEmpty()
                && sight.mounts().isEmpty()
                && deviceMount().isEmpty()
                && attachment().isEmpty()
                && sight.actual().get().operation().isEmpty();
    }

    private void step(Operation operation, Optional<PodOf> pod, Trying trying, String wish, String reason) {
        if (isKeptBusy(operation, pod)) {
            return;
        }
        Optional<Instant> due = due(operation, trying, wish);
        if (due.isPresent()) {
            waiting.add(operation.text() + pod.map(Planner::words).orElse("") + ": failed " + trying.attempts()
                    + " times, again at " + due.get());
            next = next.filter(earlier -> earlier.isBefore(due.get())).or(() -> due);
            return;
        }
        steps.add(new Step(operation, pod, reason));
    }

    /** When it may be tried again, if not now. What failed was another operation, or another wish, does not count. */
    private Optional<Instant> due(Operation operation, Trying trying, String wish) {
        boolean same = trying.failedOperation().equals(operation.text())
                && (trying.tried().equals(wish) || wish.isEmpty());
        // One that is further away than any wait was written before the clock was set back.
        return trying.nextTry()
                .filter(due -> same
                        && due.isAfter(sight.now())
                        && !due.isAfter(sight.now().plus(BACKOFF.longest())));
    }

    private boolean isKeptBusy(Operation operation, Optional<PodOf> pod) {
        if (sight.actual().isEmpty()) {
            return false;
        }
        ActualVolume actual = sight.actual().get();
        if (!actual.operation().isEmpty()) {
            return true;
        }
        boolean wholeVolume = !operation.isForOnePod()
                || (operation == Operation.MOUNT && sight.device().isPresent());
        return actual.mounts().stream()
                .filter(each -> !each.operation().isEmpty())
                .anyMatch(each -> wholeVolume
                        || (sight.device().isPresent() && each.operation().equals(Operation.MOUNT.text()))
                        || pod.filter(one -> one.uid().equals(each.pod().uid())).isPresent());
    }

    private boolean isWanted() {
        return !sight.desired().isEmpty();
    }

    /** Whether the controller wants the device back: what Pods do not have yet they get when it is given anew. */
    private boolean isTakenAway() {
        return attaches()
                && sight.attachment().filter(StoredJson::isBeingDeleted).isPresent();
    }

    private boolean isToStay() {
        return isWanted() && !isTakenAway();
    }

    private boolean attaches() {
        return sight.device()
                .filter(each -> each.attaching() == DevicePlugin.Attaching.BY_THIS_NODE)
                .isPresent();
    }

    private boolean isAttachmentGranted() {
        return sight.attachment()
                .filter(each ->
                        !StoredJson.isBeingDeleted(each) && StoredJson.mentions(each, AttachmentReport.FINALIZER))
                .isPresent();
    }

    private boolean isAttached() {
        return attachment().equals(ActualVolume.ATTACHED);
    }

    private String attachment() {
        return sight.actual().map(ActualVolume::attachment).orElse("");
    }

    private boolean isReadyForAll() {
        return deviceMount().equals(ActualVolume.MOUNTED);
    }

    private String deviceMount() {
        return sight.actual().map(ActualVolume::deviceMount).orElse("");
    }

    /** Whether a Pod has it that should not, so that the next must wait. */
    private boolean isBeingLeft() {
        return sight.mounts().stream()
                .anyMatch(each -> !sight.isDesiredBy(each.pod().uid())
                        && !sight.needing().contains(each.pod().uid()));
    }

    private Trying trying() {
        return sight.actual().map(ActualVolume::trying).orElse(NEVER);
    }

    private String wish() {
        return Wish.fingerprint(sight.desired());
    }

    /** What each Pod wants, in the order of names. */
    private Map<String, Wish> wishes() {
        Map<String, List<DesiredVolume>> parts = new LinkedHashMap<>();
        for (DesiredVolume each : sight.desired()) {
            parts.computeIfAbsent(each.pod().uid(), uid -> new ArrayList<>()).add(each);
        }
        Map<String, Wish> wishes = new LinkedHashMap<>();
        parts.forEach((uid, each) -> wishes.put(uid, new Wish(each)));
        return wishes;
    }

    private static String words(PodOf pod) {
        return " for " + pod.namespace() + '/' + pod.name();
    }
}
