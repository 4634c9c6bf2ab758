package dev.mooring.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.rules.Violations;
import dev.mooring.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * Pod fields of Kubernetes that Mooring does not support, as a table. A field that would change how the Pod runs is
 * refused on create, with an alternative in the message; a mere preference is accepted with a warning. Fields in
 * neither list behave as in Kubernetes or have no effect. Stateless; thread-safe.
 */
public final class UnsupportedPodFields {
    /** Tests whether a value, with its field name or map key, requests the feature. */
    private interface FieldPredicate extends BiPredicate<String, JsonNode> {}

    /** @param part suffix of the reported field, such as {@code .sizeLimit}; "" for the whole */
    private record UnsupportedField(FieldPathPattern path, String part, FieldPredicate predicate, String message) {}

    private static final String CANNOT = "Mooring on Docker cannot ";

    /** Volume types that no plugin mounts. */
    private static final List<String> VOLUMES = List.of(
            "awsElasticBlockStore",
            "azureDisk",
            "azureFile",
            "cephfs",
            "cinder",
            "csi",
            "fc",
            "flexVolume",
            "flocker",
            "gcePersistentDisk",
            "glusterfs",
            "iscsi",
            "photonPersistentDisk",
            "portworxVolume",
            "quobyte",
            "rbd",
            "scaleIO",
            "storageos",
            "vsphereVolume");

    private static final Set<String> COUNTED = Set.of("cpu", "memory", "ephemeral-storage");

    private static final List<UnsupportedField> REFUSED = refused();
    private static final List<UnsupportedField> WARNED = warned();

    private UnsupportedPodFields() {}

    /**
     * Adds an error for each refused field.
     *
     * @param prefix path of the template with a dot at its end; "" for a Pod
     */
    public static void check(JsonNode pod, String prefix, Violations violations) {
        visit(REFUSED, pod, (field, message) -> violations.forbidden(prefix + field, CANNOT + message));
    }

    /** Returns warnings for accepted fields that have no effect. */
    public static List<String> warnings(JsonNode pod, String prefix) {
        List<String> warnings = new ArrayList<>();
        visit(WARNED, pod, (field, message) -> warnings.add(prefix + field + ": " + message));
        return warnings;
    }

    private interface FindingConsumer {
        void of(String field, String message);
    }

    private static void visit(List<UnsupportedField> rows, JsonNode pod, FindingConsumer finding) {
        JsonNode spec = pod.path("spec");
        for (UnsupportedField row : rows) {
            row.path.visit("spec", spec, (field, name, value) -> {
                if (row.predicate.test(name, value)) {
                    finding.of(field + row.part, row.message);
                }
            });
        }
    }

    private static List<UnsupportedField> refused() {
        List<UnsupportedField> rows = new ArrayList<>();
        ofPods(rows);
        ofPlacement(rows);
        ofVolumes(rows);
        for (String list : List.of("containers[].", "initContainers[].", "ephemeralContainers[].")) {
            ofContainers(rows, list);
            ofSecurity(rows, list + "securityContext.");
        }
        ofSecurity(rows, "securityContext.");
        add(rows, "securityContext.supplementalGroupsPolicy", is("Strict"), "ignore groups of the image: use Merge");
        return List.copyOf(rows);
    }

    private static void ofPods(List<UnsupportedField> rows) {
        add(rows, "hostUsers", isFalse(), "give a Pod its own user namespace: leave it out, and use runAsUser");
        add(
                rows,
                "runtimeClassName",
                UnsupportedPodFields::isNotEmpty,
                "select a runtime, RuntimeClasses are not supported: leave it out");
        add(
                rows,
                "overhead",
                UnsupportedPodFields::isNotEmpty,
                "add overhead, RuntimeClasses are not supported: leave it out");
        add(
                rows,
                "resourceClaims",
                UnsupportedPodFields::isNotEmpty,
                "allocate devices, ResourceClaims are not supported: leave it out");
        add(
                rows,
                "resources",
                UnsupportedPodFields::isNotEmpty,
                "limit the resources of a whole Pod: set resources of its containers");
        add(
                rows,
                "workloadRef",
                UnsupportedPodFields::always,
                "schedule Pods as a group, Workloads are not supported: leave it out");
        add(
                rows,
                "priorityClassName",
                UnsupportedPodFields::isNotEmpty,
                "prioritize Pods, PriorityClasses are not supported: leave it out");
        add(
                rows,
                "priority",
                (name, value) -> value.asLong() != 0,
                "prioritize Pods, PriorityClasses are not supported: leave it out");
    }

    private static void ofPlacement(List<UnsupportedField> rows) {
        String others = "schedule Pods relative to other Pods: use nodeSelector or nodeAffinity, or a preferred term";
        add(
                rows,
                "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                UnsupportedPodFields::isNotEmpty,
                others);
        add(
                rows,
                "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                UnsupportedPodFields::isNotEmpty,
                others);
        add(
                rows,
                "topologySpreadConstraints[].whenUnsatisfiable",
                is("DoNotSchedule"),
                "spread Pods: use nodeSelector or nodeAffinity, or ScheduleAnyway");
    }

    private static void ofVolumes(List<UnsupportedField> rows) {
        for (String kind : VOLUMES) {
            add(
                    rows,
                    "volumes[]." + kind,
                    UnsupportedPodFields::always,
                    "mount volumes of this kind: use hostPath, nfs or a claim of a class that Mooring provisions");
        }
        add(
                rows,
                "volumes[].gitRepo",
                UnsupportedPodFields::always,
                "clone repositories: use an emptyDir and an init container");
        add(
                rows,
                "volumes[].image",
                UnsupportedPodFields::always,
                "mount images: use an emptyDir and an init container that copies");
        add(
                rows,
                "volumes[].emptyDir.medium",
                (name, value) -> value.asText().startsWith("HugePages"),
                "provide huge pages: use Memory, or leave it out");
        add(
                rows,
                "volumes[].projected.sources[].clusterTrustBundle",
                UnsupportedPodFields::always,
                "publish certificates, ClusterTrustBundles are not supported: use a ConfigMap");
        add(
                rows,
                "volumes[].projected.sources[].podCertificate",
                UnsupportedPodFields::always,
                "issue certificates for Pods: use a Secret");
    }

    private static void ofContainers(List<UnsupportedField> rows, String container) {
        for (String amounts : List.of("resources.limits{}", "resources.requests{}")) {
            add(
                    rows,
                    container + amounts,
                    (name, value) -> !COUNTED.contains(name),
                    "allocate such resources: use cpu and memory, and for devices a hostPath or a privileged"
                            + " container");
        }
        add(
                rows,
                container + "resources.claims",
                UnsupportedPodFields::isNotEmpty,
                "allocate devices, ResourceClaims are not supported");
        add(
                rows,
                container + "env[].valueFrom.fileKeyRef",
                UnsupportedPodFields::always,
                "read variables from files: let the command read the file");
        add(
                rows,
                container + "restartPolicyRules",
                UnsupportedPodFields::isNotEmpty,
                "restart by exit code: use restartPolicy of the Pod");
        for (String hook : List.of("lifecycle.postStart.tcpSocket", "lifecycle.preStop.tcpSocket")) {
            add(
                    rows,
                    container + hook,
                    UnsupportedPodFields::always,
                    "run tcpSocket hooks: use exec, httpGet or sleep");
        }
    }

    private static void ofSecurity(List<UnsupportedField> rows, String context) {
        add(
                rows,
                context + "seccompProfile.type",
                is("Localhost"),
                "use a seccomp profile of the host: use RuntimeDefault or Unconfined");
        add(
                rows,
                context + "appArmorProfile.type",
                (name, value) -> !value.asText().equals("RuntimeDefault"),
                "choose an AppArmor profile: use RuntimeDefault, or leave it out");
        add(
                rows,
                context + "windowsOptions",
                UnsupportedPodFields::isNotEmpty,
                "run Windows containers: leave them out");
    }

    private static List<UnsupportedField> warned() {
        List<UnsupportedField> rows = new ArrayList<>();
        String ignored = "is ignored: Mooring's scheduler does not consider other Pods";
        String preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        add(rows, "affinity.podAffinity." + preferred, UnsupportedPodFields::isNotEmpty, ignored);
        add(rows, "affinity.podAntiAffinity." + preferred, UnsupportedPodFields::isNotEmpty, ignored);
        add(rows, "topologySpreadConstraints[].whenUnsatisfiable", is("ScheduleAnyway"), ignored);
        add(rows, "automountServiceAccountToken", isTrue(), "has no effect: Pods get no token");
        rows.add(new UnsupportedField(
                FieldPathPattern.of("volumes[].emptyDir"),
                ".sizeLimit",
                (name, value) -> isPositive(value.path("sizeLimit"))
                        && value.path("medium").asText("").isEmpty(),
                "is not enforced on disk: use medium Memory, or an ephemeral claim of a block class"));
        for (String list : List.of("containers[].", "initContainers[].")) {
            add(
                    rows,
                    list + "resources.limits{}",
                    (name, value) -> name.equals("ephemeral-storage"),
                    "is not enforced: Docker does not limit what a container writes");
        }
        return List.copyOf(rows);
    }

    private static void add(List<UnsupportedField> rows, String path, FieldPredicate predicate, String message) {
        rows.add(new UnsupportedField(FieldPathPattern.of(path), "", predicate, message));
    }

    private static boolean always(String name, JsonNode value) {
        return true;
    }

    private static boolean isNotEmpty(String name, JsonNode value) {
        return value.isTextual() ? !value.textValue().isEmpty() : !value.isContainerNode() || !value.isEmpty();
    }

    private static boolean isPositive(JsonNode amount) {
        try {
            return amount.isValueNode() && Quantity.parse(amount.asText()).signum() > 0;
        } catch (Quantity.MalformedException e) {
            // Refused elsewhere.
            return false;
        }
    }

    private static FieldPredicate is(String text) {
        return (name, value) -> value.asText().equals(text);
    }

    private static FieldPredicate isTrue() {
        return of(JsonNode::booleanValue);
    }

    private static FieldPredicate isFalse() {
        return of(value -> value.isBoolean() && !value.booleanValue());
    }

    private static FieldPredicate of(Predicate<JsonNode> predicate) {
        return (name, value) -> predicate.test(value);
    }
}
