package dev.mooring.api.table;

import static dev.mooring.api.table.ColumnFields.NONE;
import static dev.mooring.api.table.ColumnFields.at;
import static dev.mooring.api.table.ColumnFields.isPresent;
import static dev.mooring.api.table.ColumnFields.text;
import static dev.mooring.api.table.ColumnFields.textOr;
import static dev.mooring.api.table.ColumnFields.time;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.types.Column;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

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

    public static final List<Column> RESOURCE_QUOTA = ColumnListBuilder.withName()
            .text("Request", "Use and limit by name, except limits.", (quota, now) -> quotas(quota, false))
            .text("Limit", "Use and limit of limits.", (quota, now) -> quotas(quota, true))
            .age()
            .build();

    public static final List<Column> RUNTIME_CLASS = ColumnListBuilder.withName()
            .text("Handler", "Configuration in the container runtime.", (each, now) -> text(each, "handler"))
            .age()
            .build();

    public static final List<Column> PRIORITY_CLASS = ColumnListBuilder.withName()
            .number("Value", "The priority.", (each, now) -> at(each, "value").asLong(0))
            .yesNo(
                    "Global-Default",
                    "Whether Pods without a class get it.",
                    (each, now) -> at(each, "globalDefault").asBoolean(false))
            .age()
            .text("PreemptionPolicy", "Preemption policy.", (each, now) -> text(each, "preemptionPolicy"))
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
            Map.entry("ControllerRevision", ControllerColumns.CONTROLLER_REVISION),
            Map.entry("DaemonSet", ControllerColumns.DAEMON_SET),
            Map.entry("Deployment", ControllerColumns.DEPLOYMENT),
            Map.entry("ReplicaSet", ControllerColumns.REPLICA_SET),
            Map.entry("StatefulSet", ControllerColumns.STATEFUL_SET),
            Map.entry("Namespace", NAMESPACE),
            Map.entry("ConfigMap", CONFIG_MAP),
            Map.entry("Secret", SECRET),
            Map.entry("Event", EVENT),
            Map.entry("Service", SERVICE),
            Map.entry("CronJob", ControllerColumns.CRON_JOB),
            Map.entry("Job", ControllerColumns.JOB),
            Map.entry("PodTemplate", ControllerColumns.POD_TEMPLATE),
            Map.entry("ReplicationController", ControllerColumns.REPLICATION_CONTROLLER),
            Map.entry("ResourceQuota", RESOURCE_QUOTA),
            Map.entry("RuntimeClass", RUNTIME_CLASS),
            Map.entry("PriorityClass", PRIORITY_CLASS),
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

    /** Returns use and limit by name; those of names with the prefix {@code limits.} have a column of their own. */
    private static String quotas(JsonNode quota, boolean ofLimits) {
        SortedMap<String, String> texts = new TreeMap<>();
        for (var each : at(quota, "status", "hard").properties()) {
            if (each.getKey().startsWith("limits.") == ofLimits) {
                String used = textOr("0", at(quota, "status", "used"), each.getKey());
                texts.put(each.getKey(), each.getKey() + ": " + used + '/' + text(each.getValue()));
            }
        }
        return String.join(", ", texts.values());
    }

    private static long entries(JsonNode node) {
        return node.size();
    }

    /** Columns of Events, which may be single, counted or a series. */
    private static final class EventColumns {
        static final List<Column> EVENT = ColumnListBuilder.withoutName()
                .text(
                        "Last Seen",
                        "Time since the event was last seen.",
                        (event, now) -> AgeFormat.since(last(event), now))
                .text("Type", "Normal or Warning.", (event, now) -> text(event, "type"))
                .text("Reason", "Reason of the event.", (event, now) -> text(event, "reason"))
                .text("Object", "Object of the event.", (event, now) -> object(event))
                .wide("Subobject", "Part of the object.", (event, now) -> text(event, "involvedObject", "fieldPath"))
                .wide("Source", "Reporter of the event.", (event, now) -> source(event))
                .text(
                        "Message",
                        "Message of the event.",
                        (event, now) -> text(event, "message").strip())
                .wide(
                        "First Seen",
                        "Time since the event was first seen.",
                        (event, now) -> AgeFormat.since(first(event), now))
                .wide("Count", "Number of occurrences.", (event, now) -> count(event))
                .wideName()
                .build();

        private EventColumns() {}

        private static Optional<Instant> first(JsonNode event) {
            return time(event, "firstTimestamp").or(() -> time(event, "eventTime"));
        }

        private static Optional<Instant> last(JsonNode event) {
            return isPresent(event, "series")
                    ? time(event, "series", "lastObservedTime")
                    : time(event, "lastTimestamp").or(() -> first(event));
        }

        private static long count(JsonNode event) {
            if (isPresent(event, "series")) {
                return at(event, "series", "count").asLong(0);
            }
            long count = event.path("count").asLong(0);
            return count == 0 ? 1 : count;
        }

        private static String object(JsonNode event) {
            String kind = text(event, "involvedObject", "kind").toLowerCase(Locale.ROOT);
            String name = text(event, "involvedObject", "name");
            return name.isEmpty() ? kind : kind + "/" + name;
        }

        private static String source(JsonNode event) {
            String component = textOr(text(event, "reportingComponent"), event, "source", "component");
            String instance = textOr(text(event, "reportingInstance"), event, "source", "host");
            return instance.isEmpty() ? component : component + ", " + instance;
        }
    }
}
