package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.User;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.policy.UnsupportedPodFields;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.LabelRules;
import dev.mooring.api.rules.NameStyle;
import dev.mooring.api.rules.NameSyntax;
import dev.mooring.api.rules.QuantityRules;
import dev.mooring.api.rules.Violations;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.DockerMount;
import dev.mooring.model.view.Service;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Admission of writes, which depends on other objects or on the user, like Kubernetes' admission plugins: claims
 * without a class get the default one, claims and volumes get the finalizers that protect them while in use, claims
 * expand only if their class allows it, Pods get only the host access that the policy grants, and nodes write only
 * their own objects. Added fields belong to no field manager. Thread-safe.
 */
final class Admission {
    private static final String GROWS_ONLY_BOUND = "Only bound persistent volume claims can be expanded";
    private static final String GROWS_ONLY_BY_CLASS =
            "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support"
                    + " resize";

    private static final String PODS = "pods";
    private static final String NAMESPACES = "namespaces";
    private static final String ANNOTATIONS = "annotations";
    private static final List<String> CLAIM_ANNOTATIONS =
            List.of(StorageNames.BIND_COMPLETED, StorageNames.BOUND_BY_CONTROLLER, DockerMount.VOLUMES);

    private final DefaultStorageClass defaultClass = new DefaultStorageClass();
    private final PodPolicy policy;
    private final ServiceAllocator services;
    private final PodSecurityAdmission podSecurity;

    Admission(PodPolicy policy) {
        this.policy = policy;
        this.services = new ServiceAllocator(policy.serviceRange(), policy.reservedPorts());
        this.podSecurity = new PodSecurityAdmission(policy.defaults().level());
    }

    /** Sets the configured defaults of the namespace in a new object, before its other defaults. */
    void applyNamespaceDefaults(ResourceRef target, ObjectNode object) {
        if (isPod(target)) {
            policy.defaults().applyTo(object, target.namespace().orElse(""));
        }
    }

    /** Mutates a new object, after defaulting and before validation. */
    void mutateCreate(World world, ResourceRef target, ObjectNode object, User user) {
        switch (target.kind().resource()) {
            case StorageNames.CLAIMS -> {
                setDefaultClass(world, object);
                keepAnnotations(object, MissingNode.getInstance(), user, CLAIM_ANNOTATIONS);
                protect(object, StorageNames.CLAIM_PROTECTION);
            }
            case StorageNames.VOLUMES -> protect(object, StorageNames.VOLUME_PROTECTION);
            case Service.RESOURCE -> services.assign(world, object);
            case PODS -> {
                keepAnnotations(object, MissingNode.getInstance(), user, DockerMount.ANNOTATIONS);
                policy.writeGrantAnnotation(object, user, target.namespace().orElse(""));
            }
            default ->
                template(target, object)
                        .ifPresent(template -> policy.writeGrantAnnotation(
                                template, user, target.namespace().orElse("")));
        }
    }

    /** Returns the template of a workload's Pods; empty for other kinds. */
    private static Optional<ObjectNode> template(ResourceRef target, ObjectNode object) {
        String path = target.kind().rules().podTemplatePath();
        return path.isEmpty() || !(object.at('/' + path.replace('.', '/')) instanceof ObjectNode template)
                ? Optional.empty()
                : Optional.of(template);
    }

    /** Returns the template of a new workload, or of one whose template changes. */
    private static Optional<ObjectNode> changedTemplate(
            ResourceRef target, ObjectNode next, Optional<ObjectNode> before) {
        Optional<ObjectNode> was = before.flatMap(object -> template(target, object));
        return template(target, next)
                .filter(template -> was.filter(old -> JsonFields.same(template.path("spec"), old.path("spec")))
                        .isEmpty());
    }

    private static String templatePrefix(ResourceRef target) {
        return target.kind().rules().podTemplatePath() + '.';
    }

    /**
     * Completes and admits a Pod that a controller creates from a template. The template has the grants of the user who
     * wrote it.
     *
     * @throws StatusException if the Pod is not allowed
     */
    void admitFromTemplate(World world, ResourceRef target, ObjectNode pod, User controller) {
        ObjectNode granted = pod.objectNode();
        granted.set("metadata", pod.path("metadata").deepCopy());
        mutateCreate(world, target, pod, controller);
        policy.keepGrantAnnotation(pod, granted);
        podSecurity.admit(world, target, pod);
    }

    /**
     * Mutates a changed object: an unbound claim gets the class that has become the default. The grants of a Pod stay
     * unchanged, on updates of the object and of its status.
     */
    void mutateUpdate(World world, ResourceRef target, ObjectNode next, ObjectNode before, User user) {
        if (target.kind().resource().equals(StorageNames.CLAIMS)) {
            keepAnnotations(next, before, user, CLAIM_ANNOTATIONS);
        }
        if (isClaimItself(target)
                && !isBound(before)
                && JsonFields.text(next, "spec", "volumeName").isEmpty()
                && !JsonFields.has(JsonFields.get(before, "metadata"), "deletionTimestamp")) {
            setDefaultClass(world, next);
        } else if (isPod(target)) {
            keepAnnotations(next, before, user, DockerMount.ANNOTATIONS);
            policy.keepGrantAnnotation(next, before);
            policy.defaults().applyToEphemeral(next, before, target.namespace().orElse(""));
        } else if (isService(target)) {
            services.assign(world, next);
        }
        template(target, next).ifPresent(template -> {
            if (changedTemplate(target, next, Optional.of(before)).isPresent()) {
                policy.writeGrantAnnotation(template, user, target.namespace().orElse(""));
            } else {
                policy.keepGrantAnnotation(template, template(target, before).orElseThrow());
            }
        });
    }

    /** Adds preconditions that depend on other objects than the written one. */
    void guard(
            World world, ResourceRef target, ObjectNode next, Optional<ObjectNode> before, Proposal.Builder proposal) {
        if (isService(target)) {
            services.guard(world, keyOf(target, next), next, before, proposal);
        }
    }

    private static ObjectKey keyOf(ResourceRef target, ObjectNode object) {
        return target.key(ObjectJson.text(ObjectJson.metadata(object), "name"));
    }

    /**
     * Restores annotations that only controllers and admins (who restore a backup) may set. Otherwise a claim could be
     * bound without being compared with the volume, keep a volume from other claims, or become a volume of Docker; and
     * a Pod could pretend to be a container of Docker.
     */
    private static void keepAnnotations(ObjectNode object, JsonNode before, User user, List<String> names) {
        if (user.isAdmin()) {
            return;
        }
        ObjectNode metadata = ObjectJson.metadata(object);
        for (String name : names) {
            JsonNode was = JsonFields.get(JsonFields.get(before, "metadata", ANNOTATIONS), name);
            if (was.isTextual()) {
                JsonFields.object(metadata, ANNOTATIONS).set(name, was);
            } else if (metadata.get(ANNOTATIONS) instanceof ObjectNode annotations
                    && annotations.remove(name) != null
                    && annotations.isEmpty()) {
                metadata.remove(ANNOTATIONS);
            }
        }
    }

    private void setDefaultClass(World world, ObjectNode claim) {
        if (className(claim).isEmpty()) {
            defaultClass
                    .nameIn(world)
                    .ifPresent(name -> JsonFields.object(claim, "spec").put("storageClassName", name));
        }
    }

    private static void protect(ObjectNode object, String finalizer) {
        ObjectNode metadata = ObjectJson.metadata(object);
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
     * Validates an object against others. If the class names volumes after {@code volumeName}, that must be a valid
     * name; Kubernetes accepts any text and waits for a volume that can never exist. A new Pod must not use unsupported
     * fields; in an existing Pod they cannot change.
     *
     * @param before empty if the object is new
     */
    void validate(
            World world, ResourceRef target, ObjectNode next, Optional<ObjectNode> before, Violations violations) {
        if (isPod(target) && (before.isEmpty() || target.subresource().equals(ResourceRef.EPHEMERAL_CONTAINERS))) {
            UnsupportedPodFields.check(next, "", violations);
        }
        changedTemplate(target, next, before)
                .ifPresent(template -> UnsupportedPodFields.check(template, templatePrefix(target), violations));
        if (target.kind().resource().equals(NAMESPACES)) {
            PodSecurityAdmission.validate(next, before, violations);
        }
        if (isService(target) && violations.isEmpty()) {
            services.validate(world, keyOf(target, next), next, before, violations);
        }
        if (!isClaimItself(target)) {
            return;
        }
        String volume = JsonFields.text(next, "spec", "volumeName");
        boolean named = before.filter(
                        was -> JsonFields.text(was, "spec", "volumeName").equals(volume))
                .isEmpty();
        if (volume.isEmpty() || !named || NameSyntax.dns1123Subdomain(volume).isEmpty()) {
            return;
        }
        boolean reported =
                violations.all().stream().anyMatch(each -> each.field().equals("spec.volumeName"));
        if (!reported
                && storageClass(world, next)
                        .filter(StorageClass::createsMissingVolumes)
                        .isPresent()) {
            LabelRules.invalid("spec.volumeName", volume, NameSyntax.dns1123Subdomain(volume), violations);
        }
    }

    /** Returns warnings about a new object, in addition to the existing ones. */
    List<String> warnings(World world, ResourceRef target, ObjectNode object, List<String> existing) {
        if (isPod(target)) {
            return podWarnings(world, target, object, "", existing);
        }
        return template(target, object)
                .map(template -> podWarnings(world, target, template, templatePrefix(target), existing))
                .orElse(existing);
    }

    private List<String> podWarnings(
            World world, ResourceRef target, ObjectNode pod, String prefix, List<String> existing) {
        return joined(
                joined(existing, UnsupportedPodFields.warnings(pod, prefix)), podSecurity.warnings(world, target, pod));
    }

    /** Returns warnings about a changed object, in addition to the existing ones. */
    List<String> warnings(World world, ResourceRef target, ObjectNode next, ObjectNode before, List<String> existing) {
        if (isChangedPod(target, next, before)) {
            return joined(existing, podSecurity.warnings(world, target, next));
        }
        Optional<ObjectNode> template = changedTemplate(target, next, Optional.of(before));
        if (template.isPresent()) {
            return podWarnings(world, target, template.get(), templatePrefix(target), existing);
        }
        return target.kind().resource().equals(NAMESPACES)
                ? joined(existing, podSecurity.warnings(world, next, before))
                : existing;
    }

    private static List<String> joined(List<String> some, List<String> more) {
        return more.isEmpty()
                ? some
                : Stream.concat(some.stream(), more.stream()).toList();
    }

    /**
     * Refuses a new object that is valid but not allowed.
     *
     * @throws StatusException 403
     */
    void admitCreate(World world, ResourceRef target, ObjectNode object, User user) {
        user.nodeName().ifPresent(node -> NodeRestriction.admitCreate(world, target, object, node));
        OwnerPermissions.check(world, target, object, MissingNode.getInstance(), user);
        if (isPod(target)) {
            refuse(target, object, policy.refusals(user, target.namespace().orElse(""), object));
            podSecurity.admit(world, target, object);
        }
        template(target, object)
                .ifPresent(template -> refuse(
                        target,
                        object,
                        ofTemplate(
                                target, policy.refusals(user, target.namespace().orElse(""), template))));
        refuseReservedPorts(target, object, user);
    }

    private void refuseReservedPorts(ResourceRef target, ObjectNode object, User user) {
        List<String> fields = user.isAdmin() || !isService(target) ? List.of() : services.reservedPorts(object);
        if (!fields.isEmpty()) {
            throw new StatusException(target.forbidden(
                    ObjectJson.text(ObjectJson.metadata(object), "name"),
                    fields.get(0) + ": the machine itself uses this port (setting policy.reservedPorts); choose another"
                            + " one"));
        }
    }

    private static List<Status.StatusCause> ofTemplate(ResourceRef target, List<Status.StatusCause> causes) {
        return causes.stream()
                .map(each ->
                        new Status.StatusCause(each.reason(), each.message(), templatePrefix(target) + each.field()))
                .toList();
    }

    private static void refuse(ResourceRef target, ObjectNode pod, List<Status.StatusCause> causes) {
        if (!causes.isEmpty()) {
            String why = causes.stream()
                    .map(each -> each.field() + ": " + each.message())
                    .collect(Collectors.joining(", "));
            throw new StatusException(target.forbidden(
                    ObjectJson.text(ObjectJson.metadata(pod), "name"), why, causes.toArray(new Status.StatusCause[0])));
        }
    }

    /**
     * Refuses a change that is valid but not allowed.
     *
     * @throws StatusException 403
     */
    void admitUpdate(World world, ResourceRef target, ObjectNode next, ObjectNode before, User user) {
        user.nodeName().ifPresent(node -> NodeRestriction.admitUpdate(world, target, next, before, node));
        OwnerPermissions.check(world, target, next, before, user);
        if (isPod(target)) {
            refuse(target, next, policy.refusals(user, target.namespace().orElse(""), next, before));
        }
        refuseReservedPorts(target, next, user);
        if (isChangedPod(target, next, before)) {
            podSecurity.admit(world, target, next);
        }
        changedTemplate(target, next, Optional.of(before))
                .ifPresent(template -> refuse(
                        target,
                        next,
                        ofTemplate(
                                target,
                                policy.refusals(
                                        user,
                                        target.namespace().orElse(""),
                                        template,
                                        template(target, before).orElseGet(next::objectNode)))));
        if (!isClaimItself(target) || !grows(next, before)) {
            return;
        }
        String name = ObjectJson.text(ObjectJson.metadata(next), "name");
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

    /**
     * Refuses a deletion that is not allowed.
     *
     * @throws StatusException 403
     */
    void admitDelete(ResourceRef target, StoredObject seen, User user) {
        user.nodeName().ifPresent(node -> NodeRestriction.admitDelete(target, seen, node));
    }

    private static boolean isService(ResourceRef target) {
        return target.kind().resource().equals(Service.RESOURCE) && !target.isStatus();
    }

    private static boolean isPod(ResourceRef target) {
        return target.kind().resource().equals(PODS);
    }

    /** Returns whether the Pod itself changes; a status update changes nothing that could be forbidden. */
    private static boolean isChangedPod(ResourceRef target, ObjectNode next, ObjectNode before) {
        return isPod(target) && !target.isStatus() && !JsonFields.same(next.path("spec"), before.path("spec"));
    }

    private static boolean isClaimItself(ResourceRef target) {
        return target.subresource().isEmpty() && target.kind().resource().equals(StorageNames.CLAIMS);
    }

    private static boolean isBound(ObjectNode claim) {
        return JsonFields.text(claim, "status", "phase").equals("Bound");
    }

    private static boolean grows(ObjectNode next, ObjectNode before) {
        JsonNode size = size(next);
        JsonNode was = size(before);
        return !size.equals(was) && QuantityRules.parse(size).compareTo(QuantityRules.parse(was)) > 0;
    }

    private static JsonNode size(ObjectNode claim) {
        return JsonFields.get(JsonFields.get(JsonFields.get(claim, "spec", "resources"), "requests"), "storage");
    }

    private static Optional<StorageClass> storageClass(World world, ObjectNode claim) {
        return className(claim)
                .filter(name -> NameStyle.STORAGE_CLASS.problems(name).isEmpty())
                .flatMap(name -> world.get(StorageClass.key(name)))
                .map(StorageClass::of);
    }

    /**
     * Returns the class of a claim: empty if unspecified, "" for no class. The annotation is older than the field and
     * takes precedence.
     */
    private static Optional<String> className(ObjectNode claim) {
        JsonNode annotation = JsonFields.get(JsonFields.get(claim, "metadata", "annotations"), StorageNames.BETA_CLASS);
        JsonNode named = annotation.isMissingNode() ? JsonFields.get(claim, "spec", "storageClassName") : annotation;
        return named.isTextual() ? Optional.of(named.textValue()) : Optional.empty();
    }

    /**
     * Finds the default storage class. Claims are created in bursts and classes rarely change, so the result is cached
     * as long as the classes are the same instances. Thread-safe.
     */
    private static final class DefaultStorageClass {
        private static final Scope CLASSES = Scope.resource(StorageNames.CLASSES);

        private volatile CachedDefault cached = new CachedDefault(List.of(), Optional.empty());

        /** The default class of a list of classes. */
        private record CachedDefault(List<StoredObject> classes, Optional<String> name) {
            boolean isValidFor(World world) {
                Iterator<StoredObject> each = classes.iterator();
                for (StoredObject found : world.list(CLASSES)) {
                    if (!each.hasNext() || !found.equals(each.next())) {
                        return false;
                    }
                }
                return !each.hasNext();
            }
        }

        /** Returns the name of the default class; empty if there is none. */
        Optional<String> nameIn(World world) {
            CachedDefault last = cached;
            if (!last.isValidFor(world)) {
                last = find(world);
                cached = last;
            }
            return last.name();
        }

        private static CachedDefault find(World world) {
            List<StoredObject> classes = new ArrayList<>();
            world.list(CLASSES).forEach(classes::add);
            Optional<String> name = classes.stream()
                    .map(StorageClass::of)
                    .filter(StorageClass::isDefault)
                    .min(StorageClass.DEFAULTS)
                    .map(StorageClass::name);
            return new CachedDefault(List.copyOf(classes), name);
        }
    }
}
