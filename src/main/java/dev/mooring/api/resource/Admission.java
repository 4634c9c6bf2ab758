package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.auth.User;
import dev.mooring.api.kind.Violations;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.policy.Unsupported;
import dev.mooring.api.rules.Fields;
import dev.mooring.api.rules.LabelRules;
import dev.mooring.api.rules.NameStyle;
import dev.mooring.api.rules.Names;
import dev.mooring.api.rules.QuantityRules;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.World;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is decided about a write by looking at other objects or at who asks, as Kubernetes' admission plugins do it: claims without a class
 * get the default one, claims and volumes get the finalizers that protect them while they are in use, claims grow only if their class
 * lets them, and Pods get of the machine only what the policy grants. What it adds belongs to no field manager. Thread-safe.
 */
final class Admission {
    private static final String GROWS_ONLY_BOUND = "Only bound persistent volume claims can be expanded";
    private static final String GROWS_ONLY_BY_CLASS =
            "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support"
                    + " resize";

    private static final String PODS = "pods";

    private final DefaultClass defaultClass = new DefaultClass();
    private final PodPolicy policy;

    Admission(PodPolicy policy) {
        this.policy = policy;
    }

    /** Adds to a new object, which has its defaults and is not yet validated. */
    void completeNew(World world, Target target, ObjectNode object, User user) {
        switch (target.kind().resource()) {
            case StorageNames.CLAIMS -> {
                giveClass(world, object);
                protect(object, StorageNames.CLAIM_PROTECTION);
            }
            case StorageNames.VOLUMES -> protect(object, StorageNames.VOLUME_PROTECTION);
            case PODS -> policy.stamp(object, user, target.namespace().orElse(""));
            default -> {
                // nothing is added
            }
        }
    }

    /**
     * Adds to a changed object: a claim that is still to find a volume gets the class that has become the default. What a Pod was granted
     * stays, whichever side of it is written.
     */
    void completeChanged(World world, Target target, ObjectNode next, ObjectNode before) {
        if (isClaimItself(target)
                && !isBound(before)
                && Fields.text(next, "spec", "volumeName").isEmpty()
                && !Fields.has(Fields.get(before, "metadata"), "deletionTimestamp")) {
            giveClass(world, next);
        } else if (isPod(target)) {
            policy.keepStamp(next, before);
        }
    }

    private void giveClass(World world, ObjectNode claim) {
        if (className(claim).isEmpty()) {
            defaultClass
                    .in(world)
                    .ifPresent(name -> Fields.object(claim, "spec").put("storageClassName", name));
        }
    }

    private static void protect(ObjectNode object, String finalizer) {
        ObjectNode metadata = Json.metadata(object);
        ArrayNode finalizers =
                metadata.get("finalizers") instanceof ArrayNode some ? some : metadata.putArray("finalizers");
        for (JsonNode each : finalizers) {
            if (each.asText("").equals(finalizer)) {
                return;
            }
        }
        finalizers.add(finalizer);
    }

    /**
     * A volume that does not exist is made under the name the claim gives it, if the class says so: then that must be a name. Kubernetes
     * takes any text here, and waits for a volume that nobody can create. A new Pod may not ask for what nobody could give it; of an old
     * one nothing can change that would.
     *
     * @param before nothing if it is new
     */
    void validate(World world, Target target, ObjectNode next, Optional<ObjectNode> before, Violations violations) {
        if (isPod(target) && before.isEmpty()) {
            Unsupported.check(next, violations);
        }
        if (!isClaimItself(target)) {
            return;
        }
        String volume = Fields.text(next, "spec", "volumeName");
        boolean named = before.filter(
                        was -> Fields.text(was, "spec", "volumeName").equals(volume))
                .isEmpty();
        if (volume.isEmpty() || !named || Names.dns1123Subdomain(volume).isEmpty()) {
            return;
        }
        boolean told = violations.all().stream().anyMatch(each -> each.field().equals("spec.volumeName"));
        if (!told
                && storageClass(world, next)
                        .filter(StorageClass::createsMissingVolumes)
                        .isPresent()) {
            LabelRules.invalid("spec.volumeName", volume, Names.dns1123Subdomain(volume), violations);
        }
    }

    /** What people should know of a new object, besides what they are told already. */
    List<String> warnings(Target target, ObjectNode object, List<String> already) {
        List<String> more = isPod(target) ? Unsupported.warnings(object) : List.of();
        return more.isEmpty()
                ? already
                : Stream.concat(already.stream(), more.stream()).toList();
    }

    /**
     * Refuses a new object that is valid but not allowed.
     *
     * @throws StatusException 403
     */
    void permitNew(Target target, ObjectNode object, User user) {
        if (isPod(target)) {
            refuse(target, object, policy.refusals(user, target.namespace().orElse(""), object));
        }
    }

    private static void refuse(Target target, ObjectNode pod, List<Status.Cause> causes) {
        if (!causes.isEmpty()) {
            String why = causes.stream()
                    .map(each -> each.field() + ": " + each.message())
                    .collect(Collectors.joining(", "));
            throw new StatusException(
                    target.forbidden(Json.text(Json.metadata(pod), "name"), why, causes.toArray(new Status.Cause[0])));
        }
    }

    /**
     * Refuses a change that is valid but not allowed.
     *
     * @throws StatusException 403
     */
    void permit(World world, Target target, ObjectNode next, ObjectNode before, User user) {
        if (isPod(target)) {
            refuse(target, next, policy.refusals(user, target.namespace().orElse(""), next, before));
        }
        if (!isClaimItself(target) || !grows(next, before)) {
            return;
        }
        String name = Json.text(Json.metadata(next), "name");
        if (!isBound(before)) {
            throw new StatusException(target.forbidden(name, GROWS_ONLY_BOUND));
        }
        boolean sameClass = className(next).equals(className(before));
        if (!sameClass
                || storageClass(world, next)
                        .filter(StorageClass::allowsExpansion)
                        .isEmpty()) {
            throw new StatusException(target.forbidden(name, GROWS_ONLY_BY_CLASS));
        }
    }

    private static boolean isPod(Target target) {
        return target.kind().resource().equals(PODS);
    }

    private static boolean isClaimItself(Target target) {
        return target.subresource().isEmpty() && target.kind().resource().equals(StorageNames.CLAIMS);
    }

    private static boolean isBound(ObjectNode claim) {
        return Fields.text(claim, "status", "phase").equals("Bound");
    }

    private static boolean grows(ObjectNode next, ObjectNode before) {
        JsonNode size = size(next);
        JsonNode was = size(before);
        return !size.equals(was) && QuantityRules.read(size).compareTo(QuantityRules.read(was)) > 0;
    }

    private static JsonNode size(ObjectNode claim) {
        return Fields.get(Fields.get(Fields.get(claim, "spec", "resources"), "requests"), "storage");
    }

    private static Optional<StorageClass> storageClass(World world, ObjectNode claim) {
        return className(claim)
                .filter(name -> NameStyle.STORAGE_CLASS.problems(name).isEmpty())
                .flatMap(name -> world.get(StorageClass.key(name)))
                .map(StorageClass::of);
    }

    /** The class a claim names: nothing if it leaves that open, "" if it wants none. The annotation is older than the field and wins. */
    private static Optional<String> className(ObjectNode claim) {
        JsonNode annotation = Fields.get(Fields.get(claim, "metadata", "annotations"), StorageNames.BETA_CLASS);
        JsonNode named = annotation.isMissingNode() ? Fields.get(claim, "spec", "storageClassName") : annotation;
        return named.isTextual() ? Optional.of(named.textValue()) : Optional.empty();
    }
}
