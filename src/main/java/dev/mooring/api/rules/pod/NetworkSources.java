package dev.mooring.api.rules.pod;

import static dev.mooring.api.rules.pod.VolumeSource.required;

import java.util.Locale;
import java.util.regex.Pattern;

/** Storage reached over a network other than NFS. Stateless. */
final class NetworkSources {
    private static final Pattern IQN = Pattern.compile("iqn\\.\\d{4}-\\d{2}\\.([a-zA-Z0-9.-]+)(:[^,;*&$|\\s]+)");
    private static final Pattern EUI = Pattern.compile("eui\\.[a-zA-Z0-9]{16}");
    private static final Pattern NAA = Pattern.compile("naa\\.[a-zA-Z0-9]{32}");
    private static final int HIGHEST_LUN = 255;
    private static final String PAIRS = "must be a host:port pair or multiple pairs separated by commas";

    private NetworkSources() {}

    static void iscsi(Spot iscsi) {
        required(iscsi, "targetPortal");
        Spot name = iscsi.at("iqn");
        if (name.text().isEmpty()) {
            name.required();
        } else {
            initiator(name);
        }
        Ranges.inclusive(iscsi.at("lun"), 0, HIGHEST_LUN);
        if ((iscsi.flag("chapAuthDiscovery") || iscsi.flag("chapAuthSession")) && !iscsi.has("secretRef")) {
            iscsi.at("secretRef").required();
        }
        Spot own = iscsi.at("initiatorName");
        if (own.present()) {
            initiator(own.reportedAt(iscsi.at("initiatorname")));
        }
    }

    private static void initiator(Spot name) {
        String text = name.text();
        if (!text.startsWith("iqn") && !text.startsWith("eui") && !text.startsWith("naa")) {
            name.invalid("must be valid format starting with iqn, eui, or naa");
        } else if (!IQN.matcher(text).matches()
                && !EUI.matcher(text).matches()
                && !NAA.matcher(text).matches()) {
            name.invalid("must be valid format");
        }
    }

    static void fibreChannel(Spot fc) {
        boolean names = fc.size("targetWWNs") > 0;
        boolean ids = fc.size("wwids") > 0;
        Spot targets = fc.at("targetWWNs");
        if (!names && !ids) {
            targets.required("must specify either targetWWNs or wwids, but not both");
        }
        if (names && ids) {
            targets.invalid("targetWWNs and wwids can not be specified simultaneously");
        }
        if (names) {
            Spot lun = fc.at("lun");
            if (!lun.present()) {
                lun.required("lun is required if targetWWNs is specified");
            } else {
                Ranges.inclusive(lun, 0, HIGHEST_LUN);
            }
        }
    }

    static void glusterfs(Spot glusterfs) {
        required(glusterfs, "endpoints");
        required(glusterfs, "path");
    }

    static void flocker(Spot flocker) {
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

    static void rbd(Spot rbd) {
        monitors(rbd);
        required(rbd, "image");
    }

    static void cephfs(Spot cephfs) {
        monitors(cephfs);
    }

    private static void monitors(Spot source) {
        if (source.size("monitors") == 0) {
            source.at("monitors").required();
        }
    }

    static void quobyte(Spot quobyte) {
        Spot registry = quobyte.at("registry");
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

    static void flexVolume(Spot flex) {
        required(flex, "driver");
        for (Spot option : flex.at("options").entries()) {
            String key = option.name();
            int slash = key.indexOf('/');
            String namespace = '.' + (slash < 0 ? key : key.substring(0, slash)).toLowerCase(Locale.ROOT);
            if (namespace.endsWith(".kubernetes.io") || namespace.endsWith(".k8s.io")) {
                option.invalid(key, "kubernetes.io and k8s.io namespaces are reserved");
            }
        }
    }

    static void storageos(Spot storageos) {
        Spot name = storageos.at("volumeName");
        if (name.text().isEmpty()) {
            name.required();
        } else {
            Spelled.label(name);
        }
        Spot namespace = storageos.at("volumeNamespace");
        if (!namespace.text().isEmpty()) {
            Spelled.label(namespace);
        }
        if (storageos.has("secretRef")) {
            required(storageos.at("secretRef"), "name");
        }
    }

    static void scaleIo(Spot scaleIo) {
        required(scaleIo, "gateway");
        required(scaleIo, "system");
        required(scaleIo, "volumeName");
    }
}
