package dev.mooring.api.catalog;

import dev.mooring.api.auth.TokenRules;
import dev.mooring.api.kind.Kind;
import dev.mooring.api.kind.Kind.Reach;
import dev.mooring.api.kind.Kind.StatusWrites;
import dev.mooring.api.kind.KindNames;
import dev.mooring.api.kind.Rules;
import dev.mooring.api.rules.ActualVolumeRules;
import dev.mooring.api.rules.ConfigMapRules;
import dev.mooring.api.rules.DesiredVolumeRules;
import dev.mooring.api.rules.EventRules;
import dev.mooring.api.rules.LeaseRules;
import dev.mooring.api.rules.MetadataRules;
import dev.mooring.api.rules.NameStyle;
import dev.mooring.api.rules.NamespaceRules;
import dev.mooring.api.rules.NodeRules;
import dev.mooring.api.rules.PersistentVolumeClaimRules;
import dev.mooring.api.rules.PersistentVolumeRules;
import dev.mooring.api.rules.SecretRules;
import dev.mooring.api.rules.ServiceAccountRules;
import dev.mooring.api.rules.StorageClassRules;
import dev.mooring.api.rules.VolumeAttachmentRules;
import dev.mooring.api.rules.VolumeOperationRules;
import dev.mooring.api.rules.pod.PodRules;
import dev.mooring.api.schema.Schemas;
import dev.mooring.api.table.Columns;
import dev.mooring.api.table.UsageSource;
import dev.mooring.model.select.FieldPath;
import dev.mooring.model.select.SelectableField;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The table of kinds. Adding a kind is adding an entry here, a type to the schema files, and its {@link Rules} and columns if it has any
 * of its own.
 */
public final class KindTable {
    private static final String CORE = "";
    private static final String STORAGE = "storage.k8s.io";
    private static final String COORDINATION = "coordination.k8s.io";
    private static final String MOORING = "mooring.dev";

    private static final List<SelectableField> NO_FIELDS = List.of();

    private final Schemas schemas;
    private final UsageSource usage;
    private final Catalog catalog;

    /** @param clock tells rules that write down times what the time is */
    public KindTable(Schemas schemas, Clock clock) {
        this(schemas, clock, UsageSource.NOBODY);
    }

    /** @param usage for the tables of claims */
    public KindTable(Schemas schemas, Clock clock, UsageSource usage) {
        this.schemas = schemas;
        this.usage = usage;
        List<Kind> kinds = new ArrayList<>(core(clock));
        kinds.addAll(named());
        this.catalog = new Catalog(kinds);
    }

    /** The kinds that are served. */
    public Catalog catalog() {
        return catalog;
    }

    /** The shapes of these and of what else is sent and answered. */
    public Schemas schemas() {
        return schemas;
    }

    private List<Kind> core(Clock clock) {
        return List.of(
                entry(
                        KindNames.of(CORE, "ConfigMap", "configmaps", List.of("cm")),
                        Reach.NAMESPACED,
                        StatusWrites.NONE,
                        NameStyle.SUBDOMAIN,
                        new ConfigMapRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(CORE, "Event", "events", List.of("ev")),
                        Reach.NAMESPACED,
                        StatusWrites.NONE,
                        NameStyle.SUBDOMAIN,
                        new EventRules(),
                        eventFields()),
                entry(
                        KindNames.of(CORE, "Namespace", "namespaces", List.of("ns")),
                        Reach.CLUSTER,
                        StatusWrites.SEPARATE,
                        NameStyle.LABEL,
                        new NamespaceRules(),
                        fields("status.phase")),
                entry(
                        KindNames.of(CORE, "Node", "nodes", List.of("no")),
                        Reach.CLUSTER,
                        StatusWrites.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new NodeRules(),
                        List.of(SelectableField.of("spec.unschedulable", "false"))),
                entry(
                        KindNames.of(CORE, "PersistentVolumeClaim", "persistentvolumeclaims", List.of("pvc")),
                        Reach.NAMESPACED,
                        StatusWrites.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new PersistentVolumeClaimRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(CORE, "PersistentVolume", "persistentvolumes", List.of("pv")),
                        Reach.CLUSTER,
                        StatusWrites.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new PersistentVolumeRules(clock),
                        NO_FIELDS),
                entry(
                        KindNames.of(CORE, "Pod", "pods", List.of("po")).in(List.of("all")),
                        Reach.NAMESPACED,
                        StatusWrites.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new PodRules(),
                        podFields()),
                entry(
                        KindNames.of(CORE, "Secret", "secrets", List.of()),
                        Reach.NAMESPACED,
                        StatusWrites.NONE,
                        NameStyle.SUBDOMAIN,
                        new SecretRules(),
                        fields("type")),
                entry(
                        KindNames.of(CORE, "ServiceAccount", "serviceaccounts", List.of("sa")),
                        Reach.NAMESPACED,
                        StatusWrites.NONE,
                        NameStyle.SUBDOMAIN,
                        new ServiceAccountRules(),
                        NO_FIELDS));
    }

    /** Of the groups that have a name. */
    private List<Kind> named() {
        return List.of(
                entry(
                        KindNames.of(COORDINATION, "Lease", "leases", List.of()),
                        Reach.NAMESPACED,
                        StatusWrites.NONE,
                        NameStyle.SUBDOMAIN,
                        new LeaseRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(MOORING, "ActualVolume", "actualvolumes", List.of("av")),
                        Reach.CLUSTER,
                        StatusWrites.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new ActualVolumeRules(),
                        fields("spec.node", "status.state")),
                entry(
                        KindNames.of(MOORING, "DesiredVolume", "desiredvolumes", List.of("dv")),
                        Reach.CLUSTER,
                        StatusWrites.NONE,
                        NameStyle.SUBDOMAIN,
                        new DesiredVolumeRules(),
                        fields("spec.node")),
                entry(
                        KindNames.of(MOORING, "Token", "tokens", List.of()),
                        Reach.CLUSTER,
                        StatusWrites.NONE,
                        NameStyle.SUBDOMAIN,
                        new TokenRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(MOORING, "VolumeOperation", "volumeoperations", List.of("vop")),
                        Reach.CLUSTER,
                        StatusWrites.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new VolumeOperationRules(),
                        fields("spec.node", "spec.operation", "status.state")),
                entry(
                        KindNames.of(STORAGE, "StorageClass", "storageclasses", List.of("sc")),
                        Reach.CLUSTER,
                        StatusWrites.NONE,
                        NameStyle.STORAGE_CLASS,
                        new StorageClassRules(),
                        NO_FIELDS),
                entry(
                        KindNames.of(STORAGE, "VolumeAttachment", "volumeattachments", List.of()),
                        Reach.CLUSTER,
                        StatusWrites.SEPARATE,
                        NameStyle.SUBDOMAIN,
                        new VolumeAttachmentRules(),
                        NO_FIELDS));
    }

    private Kind entry(
            KindNames names,
            Reach reach,
            StatusWrites status,
            NameStyle style,
            Rules rules,
            List<SelectableField> selectable) {
        MetadataRules metadata =
                reach == Reach.NAMESPACED ? MetadataRules.namespaced(style) : MetadataRules.clusterWide(style);
        return new Kind(
                names,
                reach,
                schemas.struct(names.kind()),
                status,
                metadata,
                rules,
                Columns.of(names.kind(), usage),
                selectable);
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

    /** Two generations of clients write the component in two places, and ask for it under two names. */
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
