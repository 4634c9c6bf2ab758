package dev.mooring.api.table;

import static dev.mooring.api.table.Fields.at;
import static dev.mooring.api.table.Fields.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Column;
import java.util.List;
import java.util.Map;

/** The columns of every kind, as Kubernetes 1.32 prints them. Immutable; any thread. */
public final class Columns {
    public static final List<Column> PERSISTENT_VOLUME = StorageColumns.PERSISTENT_VOLUME;
    public static final List<Column> PERSISTENT_VOLUME_CLAIM = StorageColumns.PERSISTENT_VOLUME_CLAIM;
    public static final List<Column> STORAGE_CLASS = StorageColumns.STORAGE_CLASS;
    public static final List<Column> VOLUME_ATTACHMENT = StorageColumns.VOLUME_ATTACHMENT;
    public static final List<Column> POD = WorkloadColumns.POD;
    public static final List<Column> NODE = WorkloadColumns.NODE;
    public static final List<Column> EVENT = EventColumns.EVENT;
    public static final List<Column> DESIRED_VOLUME = MooringColumns.DESIRED_VOLUME;
    public static final List<Column> ACTUAL_VOLUME = MooringColumns.ACTUAL_VOLUME;
    public static final List<Column> TOKEN = MooringColumns.TOKEN;
    public static final List<Column> VOLUME_OPERATION = MooringColumns.VOLUME_OPERATION;

    public static final List<Column> NAMESPACE = ColumnList.named()
            .text(
                    "Status",
                    "Whether the namespace is in use or on its way out.",
                    (namespace, now) -> text(namespace, "status", "phase"))
            .age()
            .build();

    public static final List<Column> CONFIG_MAP = ColumnList.named()
            .text(
                    "Data",
                    "How many entries it has.",
                    (map, now) -> entries(at(map, "data")) + entries(at(map, "binaryData")))
            .age()
            .build();

    public static final List<Column> SECRET = ColumnList.named()
            .text("Type", "What the secret is for.", (secret, now) -> text(secret, "type"))
            .text("Data", "How many entries it has.", (secret, now) -> entries(at(secret, "data")))
            .age()
            .build();

    public static final List<Column> SERVICE_ACCOUNT = ColumnList.named()
            .text("Secrets", "How many secrets it may use.", (account, now) -> entries(at(account, "secrets")))
            .age()
            .build();

    public static final List<Column> LEASE = ColumnList.named()
            .text("Holder", "Who holds the lease.", (lease, now) -> text(lease, "spec", "holderIdentity"))
            .age()
            .build();

    /** For kinds nothing else is known about. */
    public static final List<Column> NAME_AND_AGE = ColumnList.named().age().build();

    private static final Map<String, List<Column>> BY_KIND = Map.ofEntries(
            Map.entry("PersistentVolume", PERSISTENT_VOLUME),
            Map.entry("PersistentVolumeClaim", PERSISTENT_VOLUME_CLAIM),
            Map.entry("StorageClass", STORAGE_CLASS),
            Map.entry("VolumeAttachment", VOLUME_ATTACHMENT),
            Map.entry("Pod", POD),
            Map.entry("Node", NODE),
            Map.entry("Namespace", NAMESPACE),
            Map.entry("ConfigMap", CONFIG_MAP),
            Map.entry("Secret", SECRET),
            Map.entry("Event", EVENT),
            Map.entry("ServiceAccount", SERVICE_ACCOUNT),
            Map.entry("Lease", LEASE),
            Map.entry("DesiredVolume", DESIRED_VOLUME),
            Map.entry("ActualVolume", ACTUAL_VOLUME),
            Map.entry("Token", TOKEN),
            Map.entry("VolumeOperation", VOLUME_OPERATION));

    private Columns() {}

    /** @return {@link #NAME_AND_AGE} for a kind without columns of its own */
    public static List<Column> of(String kind) {
        return BY_KIND.getOrDefault(kind, NAME_AND_AGE);
    }

    /** The same, with how much claims use where that is known. */
    public static List<Column> of(String kind, UsageSource usage) {
        return kind.equals("PersistentVolumeClaim") && usage != UsageSource.NOBODY
                ? StorageColumns.claims(usage)
                : of(kind);
    }

    private static long entries(JsonNode node) {
        return node.size();
    }
}
