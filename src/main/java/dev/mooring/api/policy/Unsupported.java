package dev.mooring.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Violations;
import dev.mooring.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * What a Pod can ask for in Kubernetes that nobody here could give it, as a table. What would change how the Pod runs is refused when it is
 * created, with what to do instead; what is a mere wish is accepted and the user is told. What is in neither list is done as Kubernetes
 * does it, or asks for nothing. Stateless; any thread.
 */
public final class Unsupported {
    /** Whether a value, under its name or key, asks for it. */
    private interface Asks extends BiPredicate<String, JsonNode> {}

    /** @param part of what is asked about that is named, such as {@code .sizeLimit}; "" for the whole */
    private record Row(FieldWay way, String part, Asks asks, String words) {}

    private static final String CANNOT = "Mooring on Docker cannot ";

    /** Kinds of volumes that no plugin mounts. */
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

    private static final List<Row> REFUSED = refused();
    private static final List<Row> TOLD = told();

    private Unsupported() {}

    /** Adds what is refused. */
    public static void check(JsonNode pod, Violations violations) {
        visit(REFUSED, pod, (field, words) -> violations.forbidden(field, CANNOT + words));
    }

    /** What is accepted but not done, for people. */
    public static List<String> warnings(JsonNode pod) {
        List<String> warnings = new ArrayList<>();
        visit(TOLD, pod, (field, words) -> warnings.add(field + ": " + words));
        return warnings;
    }

    private interface Finding {
        void of(String field, String words);
    }

    private static void visit(List<Row> rows, JsonNode pod, Finding finding) {
        JsonNode spec = pod.path("spec");
        for (Row row : rows) {
            row.way.visit("spec", spec, (field, name, value) -> {
                if (row.asks.test(name, value)) {
                    finding.of(field + row.part, row.words);
                }
            });
        }
    }

    private static List<Row> refused() {
        List<Row> rows = new ArrayList<>();
        ofPods(rows);
        ofPlacement(rows);
        ofVolumes(rows);
        for (String list : List.of("containers[].", "initContainers[].")) {
            ofContainers(rows, list);
            ofSecurity(rows, list + "securityContext.");
        }
        ofSecurity(rows, "securityContext.");
        add(
                rows,
                "securityContext.supplementalGroupsPolicy",
                is("Strict"),
                "keep groups of the image from its user: use Merge");
        return List.copyOf(rows);
    }

    private static void ofPods(List<Row> rows) {
        add(rows, "hostUsers", isFalse(), "give a Pod users of its own: leave it out, and use runAsUser");
        add(
                rows,
                "runtimeClassName",
                Unsupported::isNotEmpty,
                "choose among runtimes, there are no RuntimeClasses: leave it out");
        add(rows, "overhead", Unsupported::isNotEmpty, "add an overhead, there are no RuntimeClasses: leave it out");
        add(rows, "os.name", is("windows"), "run Windows containers");
        add(
                rows,
                "resourceClaims",
                Unsupported::isNotEmpty,
                "set devices aside, there are no ResourceClaims: leave it out");
        add(rows, "resources", Unsupported::isNotEmpty, "limit a Pod as a whole: use resources of its containers");
        add(rows, "workloadRef", Unsupported::always, "place Pods as a group, there are no Workloads: leave it out");
        add(
                rows,
                "priorityClassName",
                Unsupported::isNotEmpty,
                "prefer Pods to others, there are no PriorityClasses: leave it out");
        add(
                rows,
                "priority",
                (name, value) -> value.asLong() != 0,
                "prefer Pods to others, there are no PriorityClasses: leave it out");
    }

    private static void ofPlacement(List<Row> rows) {
        String others = "place Pods by where others are: use nodeSelector or nodeAffinity, or only prefer it";
        add(
                rows,
                "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                Unsupported::isNotEmpty,
                others);
        add(
                rows,
                "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                Unsupported::isNotEmpty,
                others);
        add(
                rows,
                "topologySpreadConstraints[].whenUnsatisfiable",
                is("DoNotSchedule"),
                "spread Pods: use nodeSelector or nodeAffinity, or ScheduleAnyway");
    }

    private static void ofVolumes(List<Row> rows) {
        for (String kind : VOLUMES) {
            add(
                    rows,
                    "volumes[]." + kind,
                    Unsupported::always,
                    "mount volumes of this kind: use hostPath, nfs or a claim of a class that Mooring provisions");
        }
        add(
                rows,
                "volumes[].gitRepo",
                Unsupported::always,
                "clone repositories: use an emptyDir and an init container");
        add(
                rows,
                "volumes[].image",
                Unsupported::always,
                "mount images: use an emptyDir and an init container that copies");
        add(
                rows,
                "volumes[].emptyDir.medium",
                (name, value) -> value.asText().startsWith("HugePages"),
                "give huge pages: use Memory, or leave it out");
        add(
                rows,
                "volumes[].projected.sources[].serviceAccountToken",
                Unsupported::always,
                "renew tokens of Pods: put one that kubectl create token makes into a Secret, and use that");
        add(
                rows,
                "volumes[].projected.sources[].clusterTrustBundle",
                Unsupported::always,
                "publish certificates, there are no ClusterTrustBundles: use a ConfigMap");
        add(
                rows,
                "volumes[].projected.sources[].podCertificate",
                Unsupported::always,
                "make certificates for Pods: use a Secret");
    }

    private static void ofContainers(List<Row> rows, String container) {
        for (String amounts : List.of("resources.limits{}", "resources.requests{}")) {
            add(
                    rows,
                    container + amounts,
                    (name, value) -> !COUNTED.contains(name),
                    "set such resources aside: use cpu and memory, and for devices a hostPath or a privileged"
                            + " container");
        }
        add(
                rows,
                container + "resources.claims",
                Unsupported::isNotEmpty,
                "set devices aside, there are no ResourceClaims");
        add(
                rows,
                container + "env[].valueFrom.fileKeyRef",
                Unsupported::always,
                "take variables from files: let the command read the file");
        add(
                rows,
                container + "restartPolicyRules",
                Unsupported::isNotEmpty,
                "restart by exit code: use restartPolicy of the Pod");
        for (String hook : List.of("lifecycle.postStart.tcpSocket", "lifecycle.preStop.tcpSocket")) {
            add(
                    rows,
                    container + hook,
                    Unsupported::always,
                    "open connections at such a moment: use exec, httpGet or sleep");
        }
    }

    private static void ofSecurity(List<Row> rows, String context) {
        add(
                rows,
                context + "seccompProfile.type",
                is("Localhost"),
                "use a seccomp profile of the machine: use RuntimeDefault or Unconfined");
        add(
                rows,
                context + "appArmorProfile.type",
                (name, value) -> !value.asText().equals("RuntimeDefault"),
                "choose an AppArmor profile: use RuntimeDefault, or leave it out");
        add(rows, context + "seLinuxOptions", Unsupported::isNotEmpty, "set SELinux labels: leave them out");
        add(rows, context + "windowsOptions", Unsupported::isNotEmpty, "run Windows containers: leave them out");
    }

    private static List<Row> told() {
        List<Row> rows = new ArrayList<>();
        String notLookedAt = "is not looked at: where other Pods are does not matter to Mooring's scheduler";
        String preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        add(rows, "affinity.podAffinity." + preferred, Unsupported::isNotEmpty, notLookedAt);
        add(rows, "affinity.podAntiAffinity." + preferred, Unsupported::isNotEmpty, notLookedAt);
        add(rows, "topologySpreadConstraints[].whenUnsatisfiable", is("ScheduleAnyway"), notLookedAt);
        add(rows, "automountServiceAccountToken", isTrue(), "is not done: Pods get no token");
        add(rows, "subdomain", Unsupported::isNotEmpty, "is only shown: there is no DNS that would know the name");
        rows.add(new Row(
                FieldWay.of("volumes[].emptyDir"),
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

    private static void add(List<Row> rows, String way, Asks asks, String words) {
        rows.add(new Row(FieldWay.of(way), "", asks, words));
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

    private static Asks is(String text) {
        return (name, value) -> value.asText().equals(text);
    }

    private static Asks isTrue() {
        return of(JsonNode::booleanValue);
    }

    private static Asks isFalse() {
        return of(value -> value.isBoolean() && !value.booleanValue());
    }

    private static Asks of(Predicate<JsonNode> predicate) {
        return (name, value) -> predicate.test(value);
    }
}
