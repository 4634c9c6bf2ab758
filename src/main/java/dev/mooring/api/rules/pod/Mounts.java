package dev.mooring.api.rules.pod;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How a container gets at the volumes of its Pod: as directories ({@code volumeMounts}) or as devices. Stateless. */
final class Mounts {
    private static final List<String> PROPAGATIONS = List.of("Bidirectional", "HostToContainer", "None");
    private static final List<String> RECURSIVE_READ_ONLY = List.of("Disabled", "Enabled", "IfPossible");

    private Mounts() {}

    static void check(Spot container, Map<String, Spot> volumes) {
        Map<String, String> mounts = paths(container, "volumeMounts", "mountPath");
        Map<String, String> devices = paths(container, "volumeDevices", "devicePath");
        checkMounts(container, volumes, devices);
        checkDevices(container, volumes, mounts);
    }

    private static Map<String, String> paths(Spot container, String list, String path) {
        if (container.size(list) == 0) {
            return Map.of();
        }
        Map<String, String> byName = new HashMap<>();
        for (Spot each : container.each(list)) {
            byName.put(each.text("name"), each.text(path));
        }
        return byName;
    }

    private static void checkMounts(Spot container, Map<String, Spot> volumes, Map<String, String> devices) {
        Spot all = container.at("volumeMounts");
        Set<String> seen = new HashSet<>();
        for (Spot mount : all.each()) {
            Spot name = mount.at("name");
            if (name.text().isEmpty()) {
                name.required();
            }
            if (!volumes.containsKey(name.text())) {
                name.notFound();
            }
            Spot path = mount.at("mountPath");
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

    /** Kubernetes leaves out which mount it is in these; so it stands in every tutorial and bug report. */
    private static void checkSubPath(Spot mount, Spot all) {
        Spot subPath = mount.at("subPath");
        Paths.descending(subPath.reportedAt(all.at("subPath")));
        Spot expression = mount.at("subPathExpr");
        if (!expression.text().isEmpty()) {
            if (!subPath.text().isEmpty()) {
                expression.invalid("subPathExpr and subPath are mutually exclusive");
            }
            Paths.descending(expression.reportedAt(all.at("subPathExpr")));
        }
    }

    private static void checkPropagation(Spot mount, Spot container, Spot reported) {
        Spot propagation = mount.at("mountPropagation").reportedAt(reported);
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

    private static void checkRecursiveReadOnly(Spot mount, Spot reported) {
        Spot recursive = mount.at("recursiveReadOnly").reportedAt(reported);
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

    private static void checkDevices(Spot container, Map<String, Spot> volumes, Map<String, String> mounts) {
        Set<String> names = new HashSet<>();
        Set<String> paths = new HashSet<>();
        for (Spot device : container.each("volumeDevices")) {
            Spot name = device.at("name");
            if (name.text().isEmpty()) {
                name.required();
            }
            if (names.contains(name.text())) {
                name.invalid("must be unique");
            }
            Spot volume = volumes.get(name.text());
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

    private static void checkDevicePath(Spot path, Set<String> seen) {
        if (path.text().isEmpty()) {
            path.required();
        }
        if (seen.contains(path.text())) {
            path.invalid(path.text(), "must be unique");
        }
        if (Paths.hasBackstep(path.text())) {
            path.invalid("can not contain backsteps ('..')");
        } else {
            seen.add(path.text());
        }
    }
}
