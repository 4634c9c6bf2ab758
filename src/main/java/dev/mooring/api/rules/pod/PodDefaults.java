package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.PersistentVolumeClaimRules;

/** Defaults of Pods. Idempotent and stateless. */
final class PodDefaults {
    private static final int GRACE_PERIOD = 30;

    private PodDefaults() {}

    static void apply(ObjectNode pod) {
        ObjectNode spec = JsonFields.object(pod, "spec");
        TreeDefaults.withEach(spec, "volumes", VolumeDefaults::apply);
        TreeDefaults.withEach(spec, "initContainers", ContainerDefaults::apply);
        TreeDefaults.withEach(spec, "containers", ContainerDefaults::apply);
        TreeDefaults.withEach(spec, "ephemeralContainers", ContainerDefaults::applyToEphemeral);
        JsonFields.defaultText(spec, "restartPolicy", "Always");
        TreeDefaults.number(spec, "terminationGracePeriodSeconds", GRACE_PERIOD);
        if (spec.path("terminationGracePeriodSeconds").asLong() < 0) {
            spec.put("terminationGracePeriodSeconds", 1);
        }
        JsonFields.defaultText(spec, "dnsPolicy", "ClusterFirst");
        serviceAccount(spec);
        if (TreeDefaults.lacks(spec, "securityContext")) {
            spec.putObject("securityContext");
        }
        JsonFields.defaultText(spec, "schedulerName", "default-scheduler");
        if (TreeDefaults.lacks(spec, "enableServiceLinks")) {
            spec.put("enableServiceLinks", true);
        }
        if (JsonFields.isTrue(spec, "hostNetwork")) {
            TreeDefaults.withEach(spec, "containers", PodDefaults::portsOfHost);
            TreeDefaults.withEach(spec, "initContainers", PodDefaults::portsOfHost);
        }
        TreeDefaults.with(spec, "resources", resources -> requestsOfPod(resources, spec));
    }

    /** Copies the service account between the field and its old name, which clients still read and write. */
    private static void serviceAccount(ObjectNode spec) {
        String name = JsonFields.text(spec, "serviceAccountName");
        if (name.isEmpty()) {
            name = JsonFields.text(spec, "serviceAccount");
        }
        if (name.isEmpty()) {
            name = "default";
        }
        spec.put("serviceAccountName", name);
        spec.put("serviceAccount", name);
    }

    private static void portsOfHost(ObjectNode container) {
        TreeDefaults.withEach(container, "ports", port -> {
            JsonNode inside = JsonFields.get(port, "containerPort");
            if (inside.isNumber()) {
                TreeDefaults.nonZero(port, "hostPort", inside.longValue());
            }
        });
    }

    /**
     * Sets the Pod's requests from its limits, only for resources that no container requests; otherwise the scheduler
     * uses the containers' sum.
     */
    private static void requestsOfPod(ObjectNode resources, ObjectNode spec) {
        JsonNode limits = JsonFields.get(resources, "limits");
        for (var limit : limits.properties()) {
            String name = limit.getKey();
            if (!isRequested(spec, "containers", name) && !isRequested(spec, "initContainers", name)) {
                ObjectNode requests = JsonFields.object(resources, "requests");
                if (TreeDefaults.lacks(requests, name)) {
                    requests.set(name, limit.getValue());
                }
            }
        }
    }

    private static boolean isRequested(ObjectNode spec, String list, String resource) {
        for (JsonNode container : JsonFields.get(spec, list)) {
            if (JsonFields.has(JsonFields.get(container, "resources", "requests"), resource)) {
                return true;
            }
        }
        return false;
    }

    /** Defaults of volumes. Stateless. */
    private static final class VolumeDefaults {
        /** Default mode of files in volumes. */
        private static final int FILE_MODE = 0644;

        private static final int AN_HOUR = 3600;

        private VolumeDefaults() {}

        static void apply(ObjectNode volume) {
            if (PodVolumeSourceRule.ALL.stream().noneMatch(source -> volume.hasNonNull(source.field()))) {
                volume.putObject("emptyDir");
                return;
            }
            TreeDefaults.with(volume, "hostPath", hostPath -> TreeDefaults.text(hostPath, "type", ""));
            TreeDefaults.with(volume, "secret", VolumeDefaults::fileMode);
            TreeDefaults.with(volume, "configMap", VolumeDefaults::fileMode);
            TreeDefaults.with(volume, "downwardAPI", downward -> {
                fileMode(downward);
                TreeDefaults.withEach(downward, "items", ContainerDefaults::reference);
            });
            TreeDefaults.with(volume, "projected", VolumeDefaults::projected);
            TreeDefaults.with(volume, "iscsi", iscsi -> JsonFields.defaultText(iscsi, "iscsiInterface", "default"));
            TreeDefaults.with(volume, "rbd", VolumeDefaults::rbd);
            TreeDefaults.with(volume, "azureDisk", VolumeDefaults::azureDisk);
            TreeDefaults.with(volume, "scaleIO", scaleIo -> {
                JsonFields.defaultText(scaleIo, "storageMode", "ThinProvisioned");
                JsonFields.defaultText(scaleIo, "fsType", "xfs");
            });
            TreeDefaults.with(
                    volume,
                    "ephemeral",
                    ephemeral -> TreeDefaults.with(
                            ephemeral,
                            "volumeClaimTemplate",
                            template -> PersistentVolumeClaimRules.defaultSpec(JsonFields.object(template, "spec"))));
            TreeDefaults.with(
                    volume,
                    "image",
                    image -> JsonFields.defaultText(
                            image, "pullPolicy", ContainerDefaults.pullPolicy(JsonFields.text(image, "reference"))));
        }

        private static void fileMode(ObjectNode source) {
            TreeDefaults.number(source, "defaultMode", FILE_MODE);
        }

        private static void projected(ObjectNode projected) {
            fileMode(projected);
            TreeDefaults.withEach(projected, "sources", source -> {
                TreeDefaults.with(
                        source,
                        "downwardAPI",
                        downward -> TreeDefaults.withEach(downward, "items", ContainerDefaults::reference));
                TreeDefaults.with(
                        source,
                        "serviceAccountToken",
                        token -> TreeDefaults.number(token, "expirationSeconds", AN_HOUR));
            });
        }

        private static void rbd(ObjectNode rbd) {
            JsonFields.defaultText(rbd, "pool", "rbd");
            JsonFields.defaultText(rbd, "user", "admin");
            JsonFields.defaultText(rbd, "keyring", "/etc/ceph/keyring");
        }

        private static void azureDisk(ObjectNode disk) {
            TreeDefaults.text(disk, "cachingMode", "ReadWrite");
            TreeDefaults.text(disk, "kind", "Shared");
            TreeDefaults.text(disk, "fsType", "ext4");
            if (TreeDefaults.lacks(disk, "readOnly")) {
                disk.put("readOnly", false);
            }
        }
    }
}
