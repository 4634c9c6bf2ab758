package dev.mooring.api.resource;

import dev.mooring.api.auth.TokenRules;
import dev.mooring.api.rules.ActualVolumeRules;
import dev.mooring.api.rules.ConfigMapRules;
import dev.mooring.api.rules.DesiredVolumeRules;
import dev.mooring.api.rules.EndpointSliceRules;
import dev.mooring.api.rules.EventRules;
import dev.mooring.api.rules.LeaseRules;
import dev.mooring.api.rules.MetadataRules;
import dev.mooring.api.rules.NameStyle;
import dev.mooring.api.rules.NamespaceRules;
import dev.mooring.api.rules.NodeRules;
import dev.mooring.api.rules.PersistentVolumeClaimRules;
import dev.mooring.api.rules.PersistentVolumeRules;
import dev.mooring.api.rules.PriorityClassRules;
import dev.mooring.api.rules.ResourceQuotaRules;
import dev.mooring.api.rules.Rules;
import dev.mooring.api.rules.RuntimeClassRules;
import dev.mooring.api.rules.SecretRules;
import dev.mooring.api.rules.ServiceAccountRules;
import dev.mooring.api.rules.ServiceRules;
import dev.mooring.api.rules.StorageClassRules;
import dev.mooring.api.rules.VolumeAttachmentRules;
import dev.mooring.api.rules.VolumeOperationRules;
import dev.mooring.api.rules.pod.PodRules;
import dev.mooring.api.rules.workload.ControllerRevisionRules;
import dev.mooring.api.rules.workload.CronJobRules;
import dev.mooring.api.rules.workload.DaemonSetRules;
import dev.mooring.api.rules.workload.DeploymentRules;
import dev.mooring.api.rules.workload.JobRules;
import dev.mooring.api.rules.workload.PodTemplateObjectRules;
import dev.mooring.api.rules.workload.ReplicaSetRules;
import dev.mooring.api.rules.workload.ReplicationControllerRules;
import dev.mooring.api.rules.workload.StatefulSetRules;
import dev.mooring.api.table.Columns;
import dev.mooring.api.table.UsageSource;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.api.types.KindDefinition.KindScope;
import dev.mooring.api.types.KindDefinition.StatusSubresource;
import dev.mooring.api.types.KindNames;
import dev.mooring.api.types.Schemas;
import dev.mooring.model.FieldPath;
import dev.mooring.model.SelectableField;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The table of kinds. To add a kind, add an entry here, a type to the schema files, and {@link Rules} and columns if it
 * needs its own.
 */
public final class KindTable {
    /**
     * Resources that count towards a namespace's quota: those that users create. Controllers and nodes write Events,
     * Leases and EndpointSlices.
     */
    public static final List<String> QUOTA_RESOURCES = List.of(
            "configmaps",
            "controllerrevisions.apps",
            "cronjobs.batch",
            "daemonsets.apps",
            "deployments.apps",
            "jobs.batch",
            "persistentvolumeclaims",
            "pods",
            "podtemplates",
            "replicasets.apps",
            "replicationcontrollers",
            "resourcequotas",
            "secrets",
            "serviceaccounts",
            "services",
            "statefulsets.apps");

    /** Objects that the server publishes in namespaces, name by resource; they do not count towards the quota. */
    public static final Map<String, String> QUOTA_PUBLISHED =
            Map.of("configmaps", "kube-root-ca.crt", "services", "kubernetes");

    /** Namespaces without a quota, because the server needs them. */
    public static final Set<String> QUOTA_EXEMPT = Set.of("kube-node-lease", "kube-system");

    private static final String CORE = "";
    private static final String STORAGE = "storage.k8s.io";
    private static final String BATCH = "batch";
    private static final String APPS = "apps";
    private static final String COORDINATION = "coordination.k8s.io";
    private static final String MOORING = "mooring.dev";

    private static final List<SelectableField> NO_FIELDS = List.of();

    private final Schemas schemas;
    private final UsageSource usage;
    private final Catalog catalog;

    /** @param clock for rules that record times */
    public KindTable(Schemas schemas, Clock clock) {
        this(schemas, clock, UsageSource.NONE);
    }

    /** @param usage for the tables of claims */
    public KindTable(Schemas schemas, Clock clock, UsageSource usage) {
        this.schemas = schemas;
        this.usage = usage;
        List<KindDefinition> kinds = new ArrayList<>(core(clock));
        kinds.addAll(workloads());
        kinds.addAll(named());
        this.catalog = new Catalog(kinds);
    }

    /** Returns the served kinds. */
    public Catalog catalog() {
        return catalog;
    }

    /** Returns the schemas of the served kinds and of request-only types. */
    public Schemas schemas() {
        return schemas;
    }

    private List<KindDefinition> core(Clock clock) {
        return List.of(
                entry(
                        KindNames.of(CORE, "ConfigMap", "configmaps", List.of("cm")),
                        KindScope.NAMESPACED,
                        StatusSubresource.NONE,
                        NameStyle.SUBDOMAIN,
                        new ConfigMapRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(CORE, "Event", "events", List.of("ev")),
                        KindScope.NAMESPACED,
                        StatusSubresource.NONE,
                        NameStyle.SUBDOMAIN,
                        new EventRules(),
                        eventFields()),
                entry(
                        KindNames.of(CORE, "Namespace", "namespaces", List.of("ns")),
                        KindScope.CLUSTER,
                        StatusSubresource.SEPARATE,
                        NameStyle.LABEL,
                        new NamespaceRules(),
                        fields("status.phase")),
                entry(
                        KindNames.of(CORE, "Node", "nodes", List.of("no")),
                        KindScope.CLUSTER,
                        StatusSubresource.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new NodeRules(),
                        List.of(SelectableField.of("spec.unschedulable", "false"))),
                entry(
                        KindNames.of(CORE, "PersistentVolumeClaim", "persistentvolumeclaims", List.of("pvc")),
                        KindScope.NAMESPACED,
                        StatusSubresource.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new PersistentVolumeClaimRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(CORE, "PersistentVolume", "persistentvolumes", List.of("pv")),
                        KindScope.CLUSTER,
                        StatusSubresource.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new PersistentVolumeRules(clock),
                        NO_FIELDS),
                entry(
                        KindNames.of(CORE, "Pod", "pods", List.of("po")).withCategories(List.of("all")),
                        KindScope.NAMESPACED,
                        StatusSubresource.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new PodRules(),
                        podFields()),
                entry(
                        KindNames.of(CORE, "Secret", "secrets", List.of()),
                        KindScope.NAMESPACED,
                        StatusSubresource.NONE,
                        NameStyle.SUBDOMAIN,
                        new SecretRules(),
                        fields("type")),
                entry(
                        KindNames.of(CORE, "Service", "services", List.of("svc"))
                                .withCategories(List.of("all")),
                        KindScope.NAMESPACED,
                        StatusSubresource.SEPARATE,
                        NameStyle.LABEL_1035,
                        new ServiceRules(),
                        fields("spec.clusterIP", "spec.type")),
                entry(
                        KindNames.of(CORE, "ServiceAccount", "serviceaccounts", List.of("sa")),
                        KindScope.NAMESPACED,
                        StatusSubresource.NONE,
                        NameStyle.SUBDOMAIN,
                        new ServiceAccountRules(),
                        NO_FIELDS));
    }

    /** Returns the kinds whose controllers create Pods. */
    private List<KindDefinition> workloads() {
        return List.of(
                entry(
                        KindNames.of(APPS, "ControllerRevision", "controllerrevisions", List.of()),
                        KindScope.NAMESPACED,
                        StatusSubresource.NONE,
                        NameStyle.SUBDOMAIN,
                        new ControllerRevisionRules(),
                        NO_FIELDS),
                workload("DaemonSet", "daemonsets", "ds", new DaemonSetRules()),
                scalable(workload("Deployment", "deployments", "deploy", new DeploymentRules())),
                scalable(workload("ReplicaSet", "replicasets", "rs", new ReplicaSetRules())),
                scalable(workload("StatefulSet", "statefulsets", "sts", new StatefulSetRules())),
                entry(
                        KindNames.of(BATCH, "CronJob", "cronjobs", List.of("cj"))
                                .withCategories(List.of("all")),
                        KindScope.NAMESPACED,
                        StatusSubresource.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new CronJobRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(BATCH, "Job", "jobs", List.of()).withCategories(List.of("all")),
                        KindScope.NAMESPACED,
                        StatusSubresource.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new JobRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(CORE, "PodTemplate", "podtemplates", List.of()),
                        KindScope.NAMESPACED,
                        StatusSubresource.NONE,
                        NameStyle.SUBDOMAIN,
                        new PodTemplateObjectRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(CORE, "ReplicationController", "replicationcontrollers", List.of("rc"))
                                .withCategories(List.of("all")),
                        KindScope.NAMESPACED,
                        StatusSubresource.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new ReplicationControllerRules(),
                        List.of(SelectableField.of("status.replicas", "0"))));
    }

    private KindDefinition workload(String kind, String plural, String shortName, Rules rules) {
        return entry(
                KindNames.of(APPS, kind, plural, List.of(shortName)).withCategories(List.of("all")),
                KindScope.NAMESPACED,
                StatusSubresource.SEPARATE,
                NameStyle.SUBDOMAIN,
                rules,
                NO_FIELDS);
    }

    /** Returns the kind with the subresource scale. */
    private KindDefinition scalable(KindDefinition kind) {
        KindDefinition scale = entry(
                KindNames.of("autoscaling", "Scale", "scales", List.of()),
                KindScope.NAMESPACED,
                StatusSubresource.NONE,
                NameStyle.SUBDOMAIN,
                kind.rules(),
                NO_FIELDS);
        return new KindDefinition(
                kind.names(),
                kind.kindScope(),
                kind.schema(),
                kind.status(),
                kind.metadata(),
                kind.rules(),
                kind.columns(),
                List.of(SelectableField.of("status.replicas", "0")),
                Optional.of(scale));
    }

    /** Returns the kinds of the named groups. */
    private List<KindDefinition> named() {
        return List.of(
                entry(
                        KindNames.of(COORDINATION, "Lease", "leases", List.of()),
                        KindScope.NAMESPACED,
                        StatusSubresource.NONE,
                        NameStyle.SUBDOMAIN,
                        new LeaseRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of("discovery.k8s.io", "EndpointSlice", "endpointslices", List.of()),
                        KindScope.NAMESPACED,
                        StatusSubresource.NONE,
                        NameStyle.SUBDOMAIN,
                        new EndpointSliceRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(MOORING, "ActualVolume", "actualvolumes", List.of("av")),
                        KindScope.CLUSTER,
                        StatusSubresource.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new ActualVolumeRules(),
                        fields("spec.node", "status.state")),
                entry(
                        KindNames.of(MOORING, "DesiredVolume", "desiredvolumes", List.of("dv")),
                        KindScope.CLUSTER,
                        StatusSubresource.NONE,
                        NameStyle.SUBDOMAIN,
                        new DesiredVolumeRules(),
                        fields("spec.node")),
                entry(
                        KindNames.of(MOORING, "Token", "tokens", List.of()),
                        KindScope.CLUSTER,
                        StatusSubresource.NONE,
                        NameStyle.SUBDOMAIN,
                        new TokenRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(MOORING, "VolumeOperation", "volumeoperations", List.of("vop")),
                        KindScope.CLUSTER,
                        StatusSubresource.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new VolumeOperationRules(),
                        fields("spec.node", "spec.operation", "status.state")),
                entry(
                        KindNames.of(CORE, "ResourceQuota", "resourcequotas", List.of("quota")),
                        KindScope.NAMESPACED,
                        StatusSubresource.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new ResourceQuotaRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of("node.k8s.io", "RuntimeClass", "runtimeclasses", List.of()),
                        KindScope.CLUSTER,
                        StatusSubresource.NONE,
                        NameStyle.SUBDOMAIN,
                        new RuntimeClassRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of("scheduling.k8s.io", "PriorityClass", "priorityclasses", List.of("pc")),
                        KindScope.CLUSTER,
                        StatusSubresource.NONE,
                        NameStyle.SUBDOMAIN,
                        new PriorityClassRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(STORAGE, "StorageClass", "storageclasses", List.of("sc")),
                        KindScope.CLUSTER,
                        StatusSubresource.NONE,
                        NameStyle.STORAGE_CLASS,
                        new StorageClassRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(STORAGE, "VolumeAttachment", "volumeattachments", List.of()),
                        KindScope.CLUSTER,
                        StatusSubresource.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new VolumeAttachmentRules(),
                        fields("spec.nodeName")));
    }

    private KindDefinition entry(
            KindNames names,
            KindScope reach,
            StatusSubresource status,
            NameStyle style,
            Rules rules,
            List<SelectableField> selectable) {
        MetadataRules metadata =
                reach == KindScope.NAMESPACED ? MetadataRules.namespaced(style) : MetadataRules.clusterWide(style);
        return new KindDefinition(
                names,
                reach,
                schemas.struct(names.kind()),
                status,
                metadata,
                rules,
                Columns.of(names.kind(), usage),
                selectable,
                Optional.empty());
    }

    private static List<SelectableField> podFields() {
        return List.of(
                SelectableField.of("spec.nodeName"),
                SelectableField.of("spec.restartPolicy"),
                SelectableField.of("spec.schedulerName"),
                SelectableField.of("spec.serviceAccountName"),
                SelectableField.of("spec.hostNetwork", "false"),
                SelectableField.of("status.phase"),
                SelectableField.of("status.podIP"),
                SelectableField.of("status.nominatedNodeName"));
    }

    /** Returns both fields of the component: old and new clients write and select it under different names. */
    private static List<SelectableField> eventFields() {
        FieldPath old = FieldPath.of("source.component");
        FieldPath current = FieldPath.of("reportingComponent");
        return List.of(
                SelectableField.of("involvedObject.kind"),
                SelectableField.of("involvedObject.namespace"),
                SelectableField.of("involvedObject.name"),
                SelectableField.of("involvedObject.uid"),
                SelectableField.of("involvedObject.apiVersion"),
                SelectableField.of("involvedObject.resourceVersion"),
                SelectableField.of("involvedObject.fieldPath"),
                SelectableField.of("reason"),
                SelectableField.of("type"),
                new SelectableField("reportingComponent", List.of(current, old), ""),
                new SelectableField("source", List.of(old, current), ""));
    }

    private static List<SelectableField> fields(String... names) {
        return Arrays.stream(names).map(SelectableField::of).toList();
    }
}
