package dev.mooring.api.rules.pod;

import static dev.mooring.api.rules.pod.PodVolumeSourceRule.required;

import java.util.Locale;
import java.util.regex.Pattern;

/** Rules of network storage other than NFS. Stateless. */
final class NetworkSourceRules {
    private static final Pattern IQN = Pattern.compile("iqn\\.\\d{4}-\\d{2}\\.([a-zA-Z0-9.-]+)(:[^,;*&$|\\s]+)");
    private static final Pattern EUI = Pattern.compile("eui\\.[a-zA-Z0-9]{16}");
    private static final Pattern NAA = Pattern.compile("naa\\.[a-zA-Z0-9]{32}");
    private static final int HIGHEST_LUN = 255;
    private static final String PAIRS = "must be a host:port pair or multiple pairs separated by commas";

    private NetworkSourceRules() {}

    static void iscsi(FieldCursor iscsi) {
        required(iscsi, "targetPortal");
        FieldCursor name = iscsi.at("iqn");
        if (name.text().isEmpty()) {
            name.required();
        } else {
            initiator(name);
        }
        NumberRules.inclusive(iscsi.at("lun"), 0, HIGHEST_LUN);
        if ((iscsi.flag("chapAuthDiscovery") || iscsi.flag("chapAuthSession")) && !iscsi.has("secretRef")) {
            iscsi.at("secretRef").required();
        }
        FieldCursor own = iscsi.at("initiatorName");
        if (own.present()) {
            initiator(own.reportedAt(iscsi.at("initiatorname")));
        }
    }

    private static void initiator(FieldCursor name) {
        String text = name.text();
        if (!text.startsWith("iqn") && !text.startsWith("eui") && !text.startsWith("naa")) {
            name.invalid("must be valid format starting with iqn, eui, or naa");
        } else if (!IQN.matcher(text).matches()
                && !EUI.matcher(text).matches()
                && !NAA.matcher(text).matches()) {
            name.invalid("must be valid format");
        }
    }

    static void fibreChannel(FieldCursor fc) {
        boolean names = fc.size("targetWWNs") > 0;
        boolean ids = fc.size("wwids") > 0;
        FieldCursor targets = fc.at("targetWWNs");
        if (!names && !ids) {
            targets.required("must specify either targetWWNs or wwids, but not both");
        }
        if (names && ids) {
            targets.invalid("targetWWNs and wwids can not be specified simultaneously");
        }
        if (names) {
            FieldCursor lun = fc.at("lun");
            if (!lun.present()) {
                lun.required("lun is required if targetWWNs is specified");
            } else {
                NumberRules.inclusive(lun, 0, HIGHEST_LUN);
            }
        }
    }

    static void glusterfs(FieldCursor glusterfs) {
        required(glusterfs, "endpoints");
        required(glusterfs, "path");
    }

    static void flocker(FieldCursor flocker) {
        boolean name = !flocker.text("datasetName").isEmpty();
        boolean id = !flocker.text("datasetUUID").isEmpty();
        if (!name && !id) {
            flocker.required("one of datasetName and datasetUUID is required");
        }
        if (name && id) {
            flocker.invalid("resource", "datasetName and datasetUUID can not be specified simultaneously");
        }
        if (flocker.text("datasetName").contains("/")) {
            flocker.at("datasetName").invalid("must not contain '/'");
        }
    }

    static void rbd(FieldCursor rbd) {
        monitors(rbd);
        required(rbd, "image");
    }

    static void cephfs(FieldCursor cephfs) {
        monitors(cephfs);
    }

    private static void monitors(FieldCursor source) {
        if (source.size("monitors") == 0) {
            source.at("monitors").required();
        }
    }

    static void quobyte(FieldCursor quobyte) {
        FieldCursor registry = quobyte.at("registry");
        if (registry.text().isEmpty()) {
            registry.required(PAIRS);
        } else if (quobyte.text("tenant").length() > 64) {
            quobyte.at("tenant").required("must be a UUID and may not exceed a length of 64 characters");
        } else {
            for (String pair : registry.text().split(",", -1)) {
                if (!pair.contains(":")) {
                    registry.invalid(PAIRS);
                }
            }
        }
        required(quobyte, "volume");
    }

    static void flexVolume(FieldCursor flex) {
        required(flex, "driver");
        for (FieldCursor option : flex.at("options").entries()) {
            String key = option.name();
            int slash = key.indexOf('/');
            String namespace = '.' + (slash < 0 ? key : key.substring(0, slash)).toLowerCase(Locale.ROOT);
            if (namespace.endsWith(".kubernetes.io") || namespace.endsWith(".k8s.io")) {
                option.invalid(key, "kubernetes.io and k8s.io namespaces are reserved");
            }
        }
    }

    static void storageos(FieldCursor storageos) {
        FieldCursor name = storageos.at("volumeName");
        if (name.text().isEmpty()) {
            name.required();
        } else {
            NameValidation.label(name);
        }
        FieldCursor namespace = storageos.at("volumeNamespace");
        if (!namespace.text().isEmpty()) {
            NameValidation.label(namespace);
        }
        if (storageos.has("secretRef")) {
            required(storageos.at("secretRef"), "name");
        }
    }

    static void scaleIo(FieldCursor scaleIo) {
        required(scaleIo, "gateway");
        required(scaleIo, "system");
        required(scaleIo, "volumeName");
    }
}
