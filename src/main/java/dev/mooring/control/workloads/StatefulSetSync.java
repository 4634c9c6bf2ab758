package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.persistentvolume.ClaimTemplates;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.View;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Decides the next step of one StatefulSet, as Kubernetes' controller does. Pure; used once. */
final class StatefulSetSync {
    private static final String POD_NAME = "statefulset.kubernetes.io/pod-name";
    private static final String POD_INDEX = "apps.kubernetes.io/pod-index";

    private final World world;
    private final Workload set;
    private final RevisionHistory history;
    private final Workload update;
    private final Workload current;
    private final PodAdmission admission;
    private final Instant now;
    private final PodSteps steps;
    private final List<Pod> pods;
    private final Map<Integer, Pod> members = new TreeMap<>();
    private final boolean ordered;
    private final int start;
    private final int end;

    StatefulSetSync(
            World world, Workload set, RevisionHistory history, Workload update, PodAdmission admission, Instant now) {
        this.world = world;
        this.set = set;
        this.history = history;
        this.update = update;
        this.admission = admission;
        this.now = now;
        this.steps = new PodSteps(world, set, StatefulSetController.NAME, now);
        this.current =
                history.named(set.status().path("currentRevision").asText("")).orElse(update);
        this.ordered = !set.spec().path("podManagementPolicy").asText("").equals("Parallel");
        this.start = Math.max(0, set.spec().path("ordinals").path("start").asInt(0));
        this.end = start + set.replicas();
        this.pods = ControllerRefs.pods(world, set);
        pods.forEach(each -> members.put(ordinal(set, each.name()), each));
        members.remove(-1);
    }

    /** Returns the number in the name of a Pod of the set; -1 if it is none of its names. */
    static int ordinal(Workload set, String pod) {
        String prefix = set.name() + '-';
        String digits = pod.startsWith(prefix) ? pod.substring(prefix.length()) : "";
        boolean valid = digits.length() <= 9 && digits.matches("0|[1-9][0-9]*");
        return valid ? Integer.parseInt(digits) : -1;
    }

    private String podName(int ordinal) {
        return set.name() + '-' + ordinal;
    }

    Decision sync() {
        if (set.isBeingDeleted()) {
            return status();
        }
        return fill().or(this::condemn).or(this::replace).or(this::cleanUp).orElseGet(this::status);
    }

    private static boolean isRunningAndReady(Pod pod) {
        return pod.phase().equals("Running") && pod.isReady() && !pod.isBeingDeleted();
    }

    private boolean isHealthy(Pod pod) {
        return isRunningAndReady(pod) && pod.isAvailable(set.minReadySeconds(), now);
    }

    /** Creates missing Pods, in order; returns the step, or the status if an ordered set waits for a Pod. */
    private Optional<Decision> fill() {
        for (int i = start; i < end; i++) {
            Optional<Pod> pod = Optional.ofNullable(members.get(i));
            Optional<Decision> step = claims(i, false);
            if (step.isPresent()) {
                return step;
            }
            if (pod.isEmpty()) {
                return Optional.of(create(i));
            }
            if (pod.get().isFinished() && !pod.get().isBeingDeleted()) {
                return Optional.of(delete(pod.get()));
            }
            if (ordered && !isHealthy(pod.get())) {
                return Optional.of(isOutdated(pod.get()) ? delete(pod.get()) : status());
            }
        }
        return Optional.empty();
    }

    /** Returns whether the update replaces a Pod that is not ready; it would otherwise wait for the Pod forever. */
    private boolean isOutdated(Pod pod) {
        return !pod.isBeingDeleted()
                && !isRunningAndReady(pod)
                && isRollingUpdate()
                && ordinal(set, pod.name()) >= partition()
                && !revisionOf(pod).equals(update.name());
    }

    /** Deletes Pods above the number of replicas, the highest number first. */
    private Optional<Decision> condemn() {
        List<Pod> condemned = new ArrayList<>();
        members.forEach((number, pod) -> {
            if (number < start || number >= end) {
                condemned.add(0, pod);
            }
        });
        for (Pod pod : condemned) {
            if (pod.isBeingDeleted()) {
                if (ordered) {
                    return Optional.of(status());
                }
                continue;
            }
            Optional<Decision> step = claims(ordinal(set, pod.name()), true);
            return step.isPresent() ? step : Optional.of(delete(pod));
        }
        return Optional.empty();
    }

    private boolean isRollingUpdate() {
        return !set.spec().path("updateStrategy").path("type").asText("").equals("OnDelete");
    }

    /** Returns the lowest number that a rolling update replaces. */
    private int partition() {
        int partition = set.spec()
                .path("updateStrategy")
                .path("rollingUpdate")
                .path("partition")
                .asInt(0);
        return Math.max(start, partition);
    }

    private static String revisionOf(Pod pod) {
        return pod.labels().path(RevisionHistory.POD_LABEL).asText("");
    }

    /** Replaces Pods of an old revision, the highest number first, one at a time. */
    private Optional<Decision> replace() {
        if (!isRollingUpdate()) {
            return Optional.empty();
        }
        for (int i = end - 1; i >= partition(); i--) {
            Pod pod = members.get(i);
            if (pod == null || pod.isBeingDeleted()) {
                return Optional.of(status());
            }
            if (!revisionOf(pod).equals(update.name())) {
                return Optional.of(delete(pod, pods));
            }
            if (!isHealthy(pod)) {
                return Optional.of(status());
            }
        }
        return Optional.empty();
    }

    private Decision delete(Pod pod) {
        return delete(pod, List.of());
    }

    private Decision delete(Pod pod, List<Pod> counted) {
        return steps.delete(
                pod,
                next(PodSteps.without(pods, pod)),
                "delete Pod " + pod.name() + " in StatefulSet " + set.name() + " successful",
                counted);
    }

    private Decision create(int ordinal) {
        boolean old = isRollingUpdate() && ordinal < partition();
        Workload revision = old ? current : update;
        String name = podName(ordinal);
        ObjectNode pod = PodTemplates.named(world, set, RevisionHistory.template(revision), name, now);
        ObjectNode labels = pod.withObject("/metadata").withObject("/labels");
        labels.put(POD_NAME, name)
                .put(POD_INDEX, Integer.toString(ordinal))
                .put(RevisionHistory.POD_LABEL, revision.name());
        ((ObjectNode) pod.get("metadata")).put("generateName", set.name() + '-');
        ObjectNode spec = (ObjectNode) pod.get("spec");
        spec.put("hostname", name);
        String service = set.spec().path("serviceName").asText("");
        if (!service.isEmpty()) {
            spec.put("subdomain", service);
        }
        claimVolumes(spec, ordinal);
        Optional<String> refusal = admission.admit(world, pod);
        if (refusal.isPresent()) {
            return steps.failedCreate(
                    next(pods),
                    "create Pod " + name + " in StatefulSet " + set.name() + " failed error: " + refusal.get());
        }
        return steps.create(
                pod,
                next(PodSteps.with(pods, pod)),
                "create Pod " + name + " in StatefulSet " + set.name() + " successful");
    }

    private static String claimName(JsonNode template, String pod) {
        return template.path("metadata").path("name").asText("") + '-' + pod;
    }

    /** Adds the volumes of the claims; they replace volumes of the template with the same names. */
    private void claimVolumes(ObjectNode spec, int ordinal) {
        JsonNode templates = set.spec().path("volumeClaimTemplates");
        if (templates.isEmpty()) {
            return;
        }
        Set<String> names = new HashSet<>();
        templates.forEach(each -> names.add(each.path("metadata").path("name").asText("")));
        ArrayNode volumes = spec.withArray("volumes");
        for (Iterator<JsonNode> each = volumes.iterator(); each.hasNext(); ) {
            if (names.contains(each.next().path("name").asText(""))) {
                each.remove();
            }
        }
        for (JsonNode template : templates) {
            ObjectNode volume = volumes.addObject();
            volume.put("name", template.path("metadata").path("name").asText(""));
            volume.putObject("persistentVolumeClaim").put("claimName", claimName(template, podName(ordinal)));
        }
    }

    /**
     * Creates a missing claim of a Pod, or sets the owners that the retention policy demands. Waits while an old claim of
     * the name is terminating.
     *
     * @param condemned whether the Pod is removed because of fewer replicas
     */
    private Optional<Decision> claims(int ordinal, boolean condemned) {
        for (JsonNode template : set.spec().path("volumeClaimTemplates")) {
            String name = claimName(template, podName(ordinal));
            Optional<Claim> claim = world.get(Claim.key(set.namespace(), name)).map(Claim::of);
            Pod pod = members.get(ordinal);
            if (claim.isEmpty()) {
                if (!condemned && pod == null) {
                    return Optional.of(createClaim(template, name, ordinal));
                }
            } else if (claim.get().isBeingDeleted()) {
                if (pod == null) {
                    return Optional.of(status());
                }
            } else {
                Optional<Proposal> owners = owners(claim.get(), pod, condemned);
                if (owners.isPresent()) {
                    return owners.map(Decision::of);
                }
            }
        }
        return Optional.empty();
    }

    private Decision createClaim(JsonNode template, String name, int ordinal) {
        ObjectNode claim = ClaimTemplates.claim(world, set, name, template, now);
        ObjectNode labels = claim.withObject("/metadata").withObject("/labels");
        set.spec()
                .path("selector")
                .path("matchLabels")
                .properties()
                .forEach(each -> labels.set(each.getKey(), each.getValue()));
        if (deletesWhenDeleted()) {
            claim.withObject("/metadata").putArray("ownerReferences").add(ownerRef(set));
        }
        List<Proposal> proposals = new ArrayList<>();
        proposals.add(Proposal.by(StatefulSetController.NAME, "PersistentVolumeClaimCreated")
                .because(set.cause())
                .within(Proposal.Allowance.USER)
                .create(Draft.of(Claim.key(set.namespace(), name), claim))
                .expect(set.stored())
                .build());
        steps.event(
                        EventReasons.SUCCESSFUL_CREATE,
                        "create Claim " + name + " Pod " + podName(ordinal) + " in StatefulSet " + set.name()
                                + " success")
                .ifPresent(proposals::add);
        return Decision.of(proposals);
    }

    private boolean deletesWhenDeleted() {
        return retention("whenDeleted");
    }

    private boolean retention(String field) {
        return set.spec()
                .path("persistentVolumeClaimRetentionPolicy")
                .path(field)
                .asText("")
                .equals("Delete");
    }

    /** Returns the change of a claim's owners: the set if it is deleted with it, the Pod if it is deleted by scaling. */
    private Optional<Proposal> owners(Claim claim, Pod pod, boolean condemned) {
        boolean ofPod = condemned && retention("whenScaled") && pod != null;
        boolean ofSet = deletesWhenDeleted() && !ofPod;
        ObjectNode next = claim.copy();
        ObjectNode metadata = (ObjectNode) next.get("metadata");
        ArrayNode owners = metadata.withArray("ownerReferences");
        boolean hasSet = false;
        boolean hasPod = false;
        for (Iterator<JsonNode> each = owners.iterator(); each.hasNext(); ) {
            JsonNode owner = each.next();
            boolean isSet = owner.path("uid").asText("").equals(set.uid());
            boolean isPod = owner.path("kind").asText("").equals("Pod")
                    && ordinal(set, owner.path("name").asText("")) >= 0;
            boolean isThisPod =
                    isPod && pod != null && owner.path("uid").asText("").equals(pod.uid());
            if ((isSet && !ofSet) || (isPod && !(ofPod && isThisPod))) {
                each.remove();
            }
            hasSet |= isSet;
            hasPod |= isThisPod;
        }
        if (ofSet && !hasSet) {
            owners.add(ownerRef(set));
        }
        if (ofPod && !hasPod) {
            owners.add(ownerRef(pod));
        }
        if (owners.isEmpty()) {
            metadata.remove("ownerReferences");
        }
        return next.equals(claim.tree())
                ? Optional.empty()
                : Optional.of(Proposal.by(StatefulSetController.NAME, "PersistentVolumeClaimOwnersUpdated")
                        .because(set.cause())
                        .replace(claim.stored(), Draft.of(claim.key(), next))
                        .expect(set.stored())
                        .build());
    }

    private static ObjectNode ownerRef(View owner) {
        ObjectNode reference = PodTemplates.controllerRef(owner);
        reference.remove(List.of("controller", "blockOwnerDeletion"));
        return reference;
    }

    private Optional<Decision> cleanUp() {
        Set<String> used = new HashSet<>(List.of(current.name(), update.name()));
        pods.forEach(each -> used.add(revisionOf(each)));
        return history.cleanUp(used, now).map(Decision::of);
    }

    private Decision status() {
        return steps.status(next(pods), pods);
    }

    /** Returns the StatefulSet with the status of Pods. */
    private ObjectNode next(List<Pod> counted) {
        ObjectNode next = set.copy();
        ObjectNode status = next.withObject("/status");
        int ready = 0;
        int available = 0;
        int ofCurrent = 0;
        int updated = 0;
        for (Pod pod : counted) {
            ready += isRunningAndReady(pod) ? 1 : 0;
            available += isHealthy(pod) ? 1 : 0;
            ofCurrent += !pod.isBeingDeleted() && revisionOf(pod).equals(current.name()) ? 1 : 0;
            updated += !pod.isBeingDeleted() && revisionOf(pod).equals(update.name()) ? 1 : 0;
        }
        status.put("observedGeneration", (int) set.generation());
        status.put("replicas", counted.size());
        PodSteps.putCount(status, "readyReplicas", ready);
        boolean complete = isRollingUpdate()
                && partition() == start
                && updated == set.replicas()
                && ready == set.replicas()
                && counted.size() == set.replicas();
        PodSteps.putCount(status, "currentReplicas", complete ? updated : ofCurrent);
        PodSteps.putCount(status, "updatedReplicas", updated);
        status.put("currentRevision", complete ? update.name() : current.name());
        status.put("updateRevision", update.name());
        if (!status.has("collisionCount")) {
            status.put("collisionCount", 0);
        }
        status.put("availableReplicas", available);
        return next;
    }
}
