package dev.mooring.api.table;

import static dev.mooring.api.table.ColumnFields.NONE;
import static dev.mooring.api.table.ColumnFields.at;
import static dev.mooring.api.table.ColumnFields.text;
import static dev.mooring.api.table.ColumnFields.textOr;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.types.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The columns of every kind, as in Kubernetes 1.32. Immutable; thread-safe. */
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

    public static final List<Column> NAMESPACE = ColumnListBuilder.withName()
            .text("Status", "Phase of the namespace.", (namespace, now) -> text(namespace, "status", "phase"))
            .age()
            .build();

    public static final List<Column> CONFIG_MAP = ColumnListBuilder.withName()
            .text(
                    "Data",
                    "Number of data entries.",
                    (map, now) -> entries(at(map, "data")) + entries(at(map, "binaryData")))
            .age()
            .build();

    public static final List<Column> SECRET = ColumnListBuilder.withName()
            .text("Type", "Type of the secret.", (secret, now) -> text(secret, "type"))
            .text("Data", "Number of data entries.", (secret, now) -> entries(at(secret, "data")))
            .age()
            .build();

    public static final List<Column> SERVICE_ACCOUNT = ColumnListBuilder.withName()
            .text("Secrets", "Number of secrets.", (account, now) -> entries(at(account, "secrets")))
            .age()
            .build();

    public static final List<Column> SERVICE = ColumnListBuilder.withName()
            .text("Type", "Type of the Service.", (service, now) -> text(service, "spec", "type"))
            .text("Cluster-IP", "The Service's address.", (service, now) -> textOr(NONE, service, "spec", "clusterIP"))
            .text("External-IP", "External addresses; always empty.", (service, now) -> NONE)
            .text("Port(s)", "The Service's ports.", (service, now) -> ports(at(service, "spec", "ports")))
            .age()
            .wide("Selector", "Label selector of the Pods; always empty.", (service, now) -> NONE)
            .build();

    public static final List<Column> LEASE = ColumnListBuilder.withName()
            .text("Holder", "The holder of the lease.", (lease, now) -> text(lease, "spec", "holderIdentity"))
            .age()
            .build();

    /** Columns of kinds without their own. */
    public static final List<Column> NAME_AND_AGE =
            ColumnListBuilder.withName().age().build();

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
            Map.entry("Service", SERVICE),
            Map.entry("ServiceAccount", SERVICE_ACCOUNT),
            Map.entry("Lease", LEASE),
            Map.entry("DesiredVolume", DESIRED_VOLUME),
            Map.entry("ActualVolume", ACTUAL_VOLUME),
            Map.entry("Token", TOKEN),
            Map.entry("VolumeOperation", VOLUME_OPERATION));

    private Columns() {}

    /** @return {@link #NAME_AND_AGE} for a kind without its own columns */
    public static List<Column> of(String kind) {
        return BY_KIND.getOrDefault(kind, NAME_AND_AGE);
    }

    /** Returns the columns, with the usage of claims where it is known. */
    public static List<Column> of(String kind, UsageSource usage) {
        return kind.equals("PersistentVolumeClaim") && usage != UsageSource.NONE
                ? StorageColumns.claims(usage)
                : of(kind);
    }

    private static String ports(JsonNode ports) {
        List<String> texts = new ArrayList<>();
        ports.forEach(each -> texts.add(text(each, "port") + '/' + text(each, "protocol")));
        return texts.isEmpty() ? NONE : String.join(",", texts);
    }

    private static long entries(JsonNode node) {
        return node.size();
    }
}
