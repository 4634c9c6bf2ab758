package dev.mooring.api.rules.pod;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rules of volume mounts ({@code volumeMounts}) and volume devices of a container. Stateless. */
final class VolumeMountRules {
    private static final List<String> PROPAGATIONS = List.of("Bidirectional", "HostToContainer", "None");
    private static final List<String> RECURSIVE_READ_ONLY = List.of("Disabled", "Enabled", "IfPossible");

    private VolumeMountRules() {}

    static void check(FieldCursor container, Map<String, FieldCursor> volumes) {
        Map<String, String> mounts = paths(container, "volumeMounts", "mountPath");
        Map<String, String> devices = paths(container, "volumeDevices", "devicePath");
        checkMounts(container, volumes, devices);
        checkDevices(container, volumes, mounts);
    }

    private static Map<String, String> paths(FieldCursor container, String list, String path) {
        if (container.size(list) == 0) {
            return Map.of();
        }
        Map<String, String> byName = new HashMap<>();
        for (FieldCursor each : container.each(list)) {
            byName.put(each.text("name"), each.text(path));
        }
        return byName;
    }

    private static void checkMounts(
            FieldCursor container, Map<String, FieldCursor> volumes, Map<String, String> devices) {
        FieldCursor all = container.at("volumeMounts");
        Set<String> seen = new HashSet<>();
        for (FieldCursor mount : all.each()) {
            FieldCursor name = mount.at("name");
            if (name.text().isEmpty()) {
                name.required();
            }
            if (!volumes.containsKey(name.text())) {
                name.notFound();
            }
            FieldCursor path = mount.at("mountPath");
            if (path.text().isEmpty()) {
                path.required();
            }
            if (!seen.add(path.text())) {
                path.invalid(path.text(), "must be unique");
            }
            if (devices.containsKey(name.text())) {
                name.invalid(name.text(), "must not already exist in volumeDevices");
            }
            if (devices.containsValue(path.text())) {
                path.invalid(path.text(), "must not already exist as a path in volumeDevices");
            }
            checkSubPath(mount, all);
            checkPropagation(mount, container, all.at("mountPropagation"));
            checkRecursiveReadOnly(mount, all.at("recursiveReadOnly"));
        }
    }

    /** Validates the subPath. The path omits the index of the mount, as in Kubernetes. */
    private static void checkSubPath(FieldCursor mount, FieldCursor all) {
        FieldCursor subPath = mount.at("subPath");
        PathRules.relativeWithoutBacksteps(subPath.reportedAt(all.at("subPath")));
        FieldCursor expression = mount.at("subPathExpr");
        if (!expression.text().isEmpty()) {
            if (!subPath.text().isEmpty()) {
                expression.invalid("subPathExpr and subPath are mutually exclusive");
            }
            PathRules.relativeWithoutBacksteps(expression.reportedAt(all.at("subPathExpr")));
        }
    }

    private static void checkPropagation(FieldCursor mount, FieldCursor container, FieldCursor reported) {
        FieldCursor propagation = mount.at("mountPropagation").reportedAt(reported);
        if (!propagation.present()) {
            return;
        }
        if (!PROPAGATIONS.contains(propagation.text())) {
            propagation.notSupported(PROPAGATIONS);
        }
        if (propagation.text().equals("Bidirectional")
                && !container.at("securityContext").flag("privileged")) {
            propagation.forbidden("Bidirectional mount propagation is available only to privileged containers");
        }
    }

    private static void checkRecursiveReadOnly(FieldCursor mount, FieldCursor reported) {
        FieldCursor recursive = mount.at("recursiveReadOnly").reportedAt(reported);
        if (!recursive.present() || recursive.text().equals("Disabled")) {
            return;
        }
        if (!RECURSIVE_READ_ONLY.contains(recursive.text())) {
            recursive.notSupported(RECURSIVE_READ_ONLY);
            return;
        }
        if (!mount.flag("readOnly")) {
            recursive.forbidden("may only be specified when readOnly is true");
        }
        if (mount.has("mountPropagation") && !mount.text("mountPropagation").equals("None")) {
            recursive.forbidden("may only be specified when mountPropagation is None or not specified");
        }
    }

    private static void checkDevices(
            FieldCursor container, Map<String, FieldCursor> volumes, Map<String, String> mounts) {
        Set<String> names = new HashSet<>();
        Set<String> paths = new HashSet<>();
        for (FieldCursor device : container.each("volumeDevices")) {
            FieldCursor name = device.at("name");
            if (name.text().isEmpty()) {
                name.required();
            }
            if (names.contains(name.text())) {
                name.invalid("must be unique");
            }
            FieldCursor volume = volumes.get(name.text());
            if (volume == null) {
                name.notFound();
            } else if (!volume.has("persistentVolumeClaim") && !volume.has("ephemeral")) {
                name.invalid("can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
            }
            checkDevicePath(device.at("devicePath"), paths);
            if (mounts.containsKey(name.text())) {
                name.invalid(name.text(), "must not already exist in volumeMounts");
            }
            if (mounts.containsValue(device.text("devicePath"))) {
                device.at("devicePath")
                        .invalid(device.text("devicePath"), "must not already exist as a path in volumeMounts");
            }
            if (!name.text().isEmpty()) {
                names.add(name.text());
            }
        }
    }

    private static void checkDevicePath(FieldCursor path, Set<String> seen) {
        if (path.text().isEmpty()) {
            path.required();
        }
        if (seen.contains(path.text())) {
            path.invalid(path.text(), "must be unique");
        }
        if (PathRules.hasBackstep(path.text())) {
            path.invalid("can not contain backsteps ('..')");
        } else {
            seen.add(path.text());
        }
    }
}
