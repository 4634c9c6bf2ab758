package dev.mooring.api.rules;

import java.util.regex.Pattern;

/** Rules of iSCSI volume sources. Stateless; thread-safe. */
final class IscsiSourceRules {
    private static final int PORTAL_AND_NAME_MAX = 64;
    private static final String FORMAT = "must be valid format";
    private static final Pattern IQN = Pattern.compile("iqn\\.\\d{4}-\\d{2}\\.([A-Za-z0-9.-]+)(:[^,;*&$|\\s]+)$");
    private static final Pattern EUI = Pattern.compile("^eui.[A-Za-z0-9]{16}$");
    private static final Pattern NAA = Pattern.compile("^naa.[A-Za-z0-9]{32}$");

    private IscsiSourceRules() {}

    static void validate(CheckedVolumeSource source) {
        source.require("targetPortal");
        int length = source.volume().length() + 1 + source.text("targetPortal").length();
        if (source.has("initiatorName") && length > PORTAL_AND_NAME_MAX) {
            source.violations()
                    .invalid(
                            source.at("targetportal"),
                            source.text("targetPortal"),
                            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if"
                                    + " iscsi.initiatorName is specified.");
        }
        source.require("iqn");
        if (!source.text("iqn").isEmpty() && !isName(source.text("iqn"))) {
            source.invalid("iqn", FORMAT);
        }
        source.between("lun", 0, 255, NameSyntax.between(0, 255));
        boolean authenticates = JsonFields.isTrue(source.node(), "chapAuthDiscovery")
                || JsonFields.isTrue(source.node(), "chapAuthSession");
        if (authenticates && !source.has("secretRef")) {
            source.violations().required(source.at("secretRef"), "");
        }
        source.secretNamed("secretRef", "name");
        if (source.has("initiatorName") && !isName(source.text("initiatorName"))) {
            source.violations().invalid(source.at("initiatorname"), source.text("initiatorName"), FORMAT);
        }
    }

    private static boolean isName(String text) {
        if (text.startsWith("iqn")) {
            return IQN.matcher(text).find();
        }
        return EUI.matcher(text).find() || NAA.matcher(text).find();
    }
}
