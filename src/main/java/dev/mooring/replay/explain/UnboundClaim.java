package dev.mooring.replay.explain;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.persistentvolume.ClaimDecision;
import dev.mooring.control.persistentvolume.ClaimDecision.Unbound;
import dev.mooring.control.persistentvolume.MismatchReason;
import dev.mooring.control.persistentvolume.NoMatchReport;
import dev.mooring.control.persistentvolume.NoMatchReport.ExcludedVolume;
import dev.mooring.control.persistentvolume.NoMatchReport.Exclusion;
import dev.mooring.control.persistentvolume.VolumeMatcher;
import dev.mooring.model.EventReasons;
import dev.mooring.model.NearestMatch;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.ObjectRef;
import dev.mooring.world.Indexes;
import java.util.List;
import java.util.Optional;

/**
 * Explains why the PersistentVolumeController does not bind a claim. Pure.
 *
 * @param unbound its decision
 */
record UnboundClaim(Claim claim, Unbound unbound, ExplainContext context) {
    /** Limit of listed volumes and Pods. */
    private static final int MAX_LISTED = 10;

    Finding cause() {
        return switch (unbound.reason()) {
            case CONSUMER_MISSING -> consumerMissing();
            case CONSUMER_NOT_SCHEDULED -> consumerNotScheduled();
            case NO_CLASS -> noClass();
            case CLASS_MISSING -> classMissing();
            case PROVISIONER_MISSING, EXTERNAL_PROVISIONER, PROVISIONING_IMPOSSIBLE -> provisioner();
            case VOLUME_MISSING -> volumeMissing();
            case VOLUME_TAKEN, MISBOUND -> volumeTaken();
            case VOLUME_MISMATCH -> volumeMismatch();
            case VOLUME_LOST -> volumeLost();
            case REFERENCE_LOST, VOLUME_REPLACED -> referenceLost();
        };
    }

    private Finding consumerMissing() {
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        pod.putObject("metadata").put("name", "use-" + claim.name()).put("namespace", claim.namespace());
        ObjectNode spec = pod.putObject("spec");
        ObjectNode container = spec.putArray("containers").addObject();
        container
                .put("name", "main")
                .put("image", "busybox")
                .putArray("command")
                .add("sleep")
                .add("3600");
        container.putArray("volumeMounts").addObject().put("name", "data").put("mountPath", "/data");
        ObjectNode volume = spec.putArray("volumes").addObject().put("name", "data");
        volume.putObject("persistentVolumeClaim").put("claimName", claim.name());
        return Finding.info("Its class has volumeBindingMode WaitForFirstConsumer, and no Pod uses the claim yet; this"
                        + " is not an error.")
                .reason(unbound.eventReason())
                .next("Create a Pod that uses the claim.", Commands.create(pod))
                .build();
    }

    private Finding consumerNotScheduled() {
        Finding.Builder finding = Finding.waiting("Its class has volumeBindingMode WaitForFirstConsumer, and the claim"
                        + " waits until a Pod that uses it is scheduled.")
                .reason(unbound.eventReason());
        context.world().find(Indexes.PODS_BY_CLAIM, claim.key()).stream()
                .map(Pod::of)
                .filter(pod -> !pod.isFinished() && !pod.isScheduled())
                .limit(MAX_LISTED)
                .forEach(pod -> finding.because(context.explain(pod.key())
                        .orElseGet(() -> Finding.waiting(ObjectRef.of(pod.stored()) + " is not scheduled.")
                                .about(pod.stored())
                                .build())));
        return finding.build();
    }

    private Finding noClass() {
        Finding.Builder finding = Finding.waiting(
                        "No PersistentVolume matches, and the claim has no StorageClass that" + " could provision one.")
                .reason(unbound.eventReason());
        finding.because(noMatch(true));
        Optional<StorageClass> usable = usableClass();
        if (usable.isPresent() && claim.className().isEmpty()) {
            ObjectNode patch = JsonNodeFactory.instance.objectNode();
            patch.putObject("metadata").putObject("annotations").put(StorageNames.DEFAULT_CLASS, "true");
            finding.next(
                    "Make " + usable.get().name() + " the default class; it is then assigned to the claim.",
                    Commands.patch(usable.get().key(), patch));
        } else {
            usable.ifPresent(found -> addRecreation(finding, found.name()));
        }
        return finding.next("List the volumes and compare them with the claim.", "kubectl get pv")
                .build();
    }

    private Finding classMissing() {
        String name = claim.className().orElse("");
        Optional<ObjectKey> key = ObjectKey.ifValid(StorageNames.CLASSES + '/' + name);
        Optional<ObjectDeletion> deletion = key.flatMap(context::deletionOf);
        Finding.Builder finding = Finding.failed(
                        deletion.map(each -> each.text() + '.').orElse("StorageClass " + name + " does not exist."))
                .reason(unbound.eventReason());
        deletion.ifPresent(each -> finding.at(each.request())
                .next("Create the class again as it was.", Commands.create(Commands.template(each.last()))));
        finding.because(noMatch(false));
        List<String> names = classes().stream().map(StorageClass::name).toList();
        NearestMatch.ignoringCase(name, names)
                .or(() -> usableClass().map(StorageClass::name))
                .ifPresent(found -> addRecreation(finding, found));
        return finding.next("List the classes.", "kubectl get sc").build();
    }

    /** Adds the steps that create a claim again with a class; the class of a claim cannot be changed. */
    private void addRecreation(Finding.Builder finding, String className) {
        ObjectNode template = Commands.template(claim.stored());
        ObjectNode spec = template.withObject("/spec");
        spec.put("storageClassName", className);
        spec.remove("volumeName");
        finding.next(
                "Create the claim again with class " + className + ".",
                Commands.kubectl("delete", claim.key()) + " && " + Commands.create(template));
    }

    private Finding provisioner() {
        ObjectKey storageClass = StorageClass.key(claim.className().orElseThrow());
        boolean isExternal = unbound.reason() == ClaimDecision.UnboundReason.EXTERNAL_PROVISIONER;
        String text = ClaimExplainer.sentence(unbound.text());
        Finding.Builder finding = isExternal ? Finding.waiting(text) : Finding.failed(text);
        finding.reason(unbound.eventReason());
        context.world()
                .get(storageClass)
                .map(StorageClass::of)
                .ifPresent(found -> finding.because(
                        Finding.info("StorageClass " + found.name() + " has provisioner " + found.provisioner() + '.')
                                .about(found.stored())
                                .next("Read the class.", Commands.kubectl("get", found.key(), "-o", "yaml"))
                                .build()));
        finding.because(noMatch(false));
        if (unbound.reason() == ClaimDecision.UnboundReason.PROVISIONING_IMPOSSIBLE) {
            finding.next("Check the nodes.", "kubectl get nodes");
        }
        return finding.build();
    }

    /**
     * Lists the volumes that were considered, each with the rule that excludes it.
     *
     * @param isCause whether the claim can be bound only to an existing volume
     */
    private Finding noMatch(boolean isCause) {
        int all = context.world().count(Scope.resource(StorageNames.VOLUMES));
        String text = ClaimExplainer.sentence(NoMatchReport.reasons(context.world(), claim));
        Finding.Builder finding = isCause ? Finding.waiting(text) : Finding.info(text);
        finding.reason(EventReasons.FAILED_BINDING);
        for (ExcludedVolume each : NoMatchReport.excluded(context.world(), claim, MAX_LISTED)) {
            Finding.Builder volume = Finding.info("PersistentVolume " + each.name() + ": " + each.text() + '.')
                    .reason(each.exclusion().toString())
                    .about(context.world().get(Volume.key(each.name())).orElseThrow());
            boolean isOffered = each.exclusion() == Exclusion.RELEASED
                    && VolumeMatcher.mismatch(
                                    Volume.of(context.world()
                                            .get(Volume.key(each.name()))
                                            .orElseThrow()),
                                    claim)
                            .isEmpty();
            if (isOffered) {
                volume.next(
                        "Offer the Released volume, with its data, to other claims.",
                        Commands.mooring("release", Volume.key(each.name())));
            }
            finding.because(volume.build());
        }
        if (all > MAX_LISTED) {
            finding.because(Finding.info((all - MAX_LISTED) + " more PersistentVolumes do not match either.")
                    .build());
        }
        return finding.build();
    }

    private Finding volumeMissing() {
        Optional<ObjectKey> key = Volume.keyIfValid(claim.volumeName());
        Optional<ObjectDeletion> deletion = key.flatMap(context::deletionOf);
        Finding.Builder finding = Finding.waiting(
                        "spec.volumeName names PersistentVolume " + claim.volumeName() + ", which does not exist.")
                .reason(unbound.eventReason());
        deletion.ifPresent(each -> finding.because(deleted(each)
                .next("Create the volume again as it was.", Commands.create(unclaimed(each.last())))
                .build()));
        List<String> names = context.world().stream(Scope.resource(StorageNames.VOLUMES))
                .map(each -> each.key().name())
                .filter(name -> context.mayRead(Volume.key(name)))
                .limit(1000)
                .toList();
        NearestMatch.strict(claim.volumeName(), names)
                .ifPresent(nearest -> finding.because(
                        Finding.info("PersistentVolume " + nearest + " exists; it has the nearest name.")
                                .about(Volume.key(nearest))
                                .build()));
        return finding.next(
                        "Create the claim again without spec.volumeName, so that it binds to any matching volume.",
                        withoutVolumeName())
                .build();
    }

    private String withoutVolumeName() {
        ObjectNode template = Commands.template(claim.stored());
        template.withObject("/spec").remove("volumeName");
        return Commands.kubectl("delete", claim.key()) + " && " + Commands.create(template);
    }

    private Finding volumeTaken() {
        ObjectKey key = Volume.key(claim.volumeName());
        Volume volume = Volume.of(context.world().get(key).orElseThrow());
        boolean isReleased = volume.phase().equals("Released");
        Finding.Builder finding = Finding.failed("PersistentVolume " + volume.name()
                        + ", which the claim names, belongs to another claim"
                        + (isReleased ? " that no longer exists; the volume is Released." : "."))
                .reason(unbound.eventReason())
                .about(volume.stored());
        volume.claimRef().ifPresent(ref -> finding.because(holder(ref)));
        if (isReleased) {
            finding.next("Offer the volume, with its data, to this claim.", Commands.mooring("release", volume.key()));
        }
        return finding.next(
                        "Create the claim again without spec.volumeName, so that it binds to any matching volume.",
                        withoutVolumeName())
                .build();
    }

    private Finding holder(ClaimRef ref) {
        Optional<StoredObject> holder = context.world().get(ref.key());
        return holder.map(found -> Finding.info("Claim " + ref + " is " + GenericExplainer.stateOf(found)
                                + (ref.uid().equals(Claim.of(found).uid()) || !ref.hasUid()
                                        ? "."
                                        : ", but it is a new claim of this name."))
                        .about(found))
                .orElseGet(() -> context.deletionOf(ref.key())
                        .map(deletion -> Finding.info(deletion.text() + '.')
                                .about(deletion.last())
                                .at(deletion.request()))
                        .orElseGet(() -> Finding.info("Claim " + ref + " does not exist.")
                                .about(ref.key())))
                .build();
    }

    private Finding volumeMismatch() {
        Volume volume =
                Volume.of(context.world().get(Volume.key(claim.volumeName())).orElseThrow());
        Finding.Builder finding = Finding.failed(ClaimExplainer.sentence(unbound.text()))
                .reason(unbound.eventReason())
                .about(volume.stored());
        boolean isTooSmall = VolumeMatcher.mismatchOfNamed(volume, claim)
                .filter(MismatchReason.TOO_SMALL::equals)
                .isPresent();
        if (isTooSmall) {
            ObjectNode patch = JsonNodeFactory.instance.objectNode();
            patch.putObject("spec")
                    .putObject("capacity")
                    .put("storage", claim.request().toString());
            finding.next(
                    "If the volume is larger than it states, correct its capacity.",
                    Commands.patch(volume.key(), patch));
        }
        return finding.next(
                        "Create the claim again without spec.volumeName, so that it binds to any matching volume.",
                        withoutVolumeName())
                .build();
    }

    private Finding volumeLost() {
        Optional<ObjectDeletion> deletion =
                Volume.keyIfValid(claim.volumeName()).flatMap(context::deletionOf);
        Finding.Builder finding = Finding.failed("Its PersistentVolume " + claim.volumeName()
                        + " does not exist any more, and a new one is not bound to this claim.")
                .reason(unbound.eventReason());
        deletion.ifPresent(each -> {
            ObjectNode claimTemplate = Commands.template(claim.stored());
            finding.because(deleted(each)
                    .next(
                            "Create the volume again with the same source, reserved for the claim, and then the claim.",
                            Commands.kubectl("delete", claim.key()) + " && "
                                    + Commands.create(unclaimed(each.last())) + " && "
                                    + Commands.create(claimTemplate))
                    .build());
        });
        if (deletion.isEmpty()) {
            finding.next("See when it was deleted and by whom.", "mooring history pv/" + claim.volumeName());
        }
        return finding.build();
    }

    /** Describes the deletion of a volume, with its source. */
    private static Finding.Builder deleted(ObjectDeletion deletion) {
        Volume volume = Volume.of(deletion.last());
        return Finding.failed(deletion.text()
                        + volume.sourceText()
                                .map(source -> "; its source was " + source)
                                .orElse("")
                        + ", its reclaim policy " + volume.reclaimPolicy() + '.')
                .about(deletion.last())
                .at(deletion.request());
    }

    /** Returns a deleted volume as it can be created again, reserved for a claim of this name. */
    private ObjectNode unclaimed(StoredObject volume) {
        ObjectNode template = Commands.template(volume);
        ObjectNode reference = template.withObject("/spec").putObject("claimRef");
        reference.put("namespace", claim.namespace()).put("name", claim.name());
        return template;
    }

    private Finding referenceLost() {
        return Finding.failed(ClaimExplainer.sentence(unbound.text()))
                .reason(unbound.eventReason())
                .next(
                        "Create the claim again.",
                        Commands.kubectl("delete", claim.key()) + " && "
                                + Commands.create(Commands.template(claim.stored())))
                .build();
    }

    /** Returns a class that Mooring provisions, the default class if possible. */
    private Optional<StorageClass> usableClass() {
        List<StorageClass> usable =
                classes().stream().filter(StorageClass::isMooringProvisioned).toList();
        return usable.stream()
                .filter(StorageClass::isDefault)
                .findFirst()
                .or(() -> usable.stream().findFirst());
    }

    private List<StorageClass> classes() {
        return context.world().stream(Scope.resource(StorageNames.CLASSES))
                .map(StorageClass::of)
                .toList();
    }
}
