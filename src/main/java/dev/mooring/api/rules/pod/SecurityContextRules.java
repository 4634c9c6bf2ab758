package dev.mooring.api.rules.pod;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Rules of security contexts. Stateless. */
final class SecurityContextRules {
    private static final List<String> PROFILE_TYPES = List.of("Localhost", "RuntimeDefault", "Unconfined");
    private static final List<String> PROC_MOUNTS = List.of("Default", "Unmasked");
    private static final List<String> FS_GROUP_CHANGES = List.of("Always", "OnRootMismatch");
    private static final List<String> SUPPLEMENTAL_GROUPS = List.of("Merge", "Strict");
    private static final List<String> SE_LINUX_CHANGES = List.of("MountOption", "Recursive");
    private static final String LOCALHOST = "Localhost";
    private static final int MAX_PROFILE_LENGTH = 4095;
    private static final int MAX_SYSCTL_LENGTH = 253;
    private static final String SYSCTL_TEXT = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
    private static final Pattern SYSCTL = Pattern.compile(SYSCTL_TEXT);

    private SecurityContextRules() {}

    /** Validates the security context of a container. */
    static void check(FieldCursor context, FieldCursor spec) {
        if (!context.present()) {
            return;
        }
        NumberRules.id(context.at("runAsUser"));
        NumberRules.id(context.at("runAsGroup"));
        FieldCursor procMount = context.at("procMount");
        if (procMount.present()) {
            oneOf(procMount, PROC_MOUNTS);
            if (procMount.text().equals("Unmasked") && usesUsersOfHost(spec)) {
                procMount.invalid("`hostUsers` must be false to use `Unmasked`");
            }
        }
        seccomp(context.at("seccompProfile"));
        if (context.has("allowPrivilegeEscalation") && !context.flag("allowPrivilegeEscalation")) {
            noEscalation(context);
        }
        appArmor(context.at("appArmorProfile"));
    }

    private static void noEscalation(FieldCursor context) {
        if (context.flag("privileged")) {
            context.invalid("cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
        }
        for (FieldCursor capability : context.at("capabilities").each("add")) {
            if (capability.text().equals("CAP_SYS_ADMIN")) {
                context.invalid("cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
            }
        }
    }

    /** Validates the security context of a Pod. */
    static void checkOfPod(FieldCursor spec) {
        FieldCursor context = spec.at("securityContext");
        NumberRules.id(context.at("fsGroup"));
        NumberRules.id(context.at("runAsUser"));
        NumberRules.id(context.at("runAsGroup"));
        context.each("supplementalGroups").forEach(NumberRules::id);
        if (spec.flag("hostPID") && spec.flag("shareProcessNamespace")) {
            context.at("shareProcessNamespace")
                    .invalid(
                            spec.at("shareProcessNamespace").value(),
                            "ShareProcessNamespace and HostPID cannot both be enabled");
        }
        sysctls(context, spec);
        oneOf(context.at("fsGroupChangePolicy"), FS_GROUP_CHANGES);
        seccomp(context.at("seccompProfile"));
        appArmor(context.at("appArmorProfile"));
        oneOf(context.at("supplementalGroupsPolicy"), SUPPLEMENTAL_GROUPS);
        oneOf(context.at("seLinuxChangePolicy"), SE_LINUX_CHANGES);
    }

    static boolean usesUsersOfHost(FieldCursor spec) {
        return !spec.has("hostUsers") || spec.flag("hostUsers");
    }

    private static void oneOf(FieldCursor choice, List<String> supported) {
        if (choice.present() && !supported.contains(choice.text())) {
            choice.notSupported(supported);
        }
    }

    private static void seccomp(FieldCursor profile) {
        if (!profile.present()) {
            return;
        }
        FieldCursor type = profile.at("type");
        if (type.text().isEmpty()) {
            type.required("type is required when seccompProfile is set");
        } else {
            oneOf(type, PROFILE_TYPES);
        }
        FieldCursor local = profile.at("localhostProfile");
        if (type.text().equals(LOCALHOST)) {
            if (!local.present()) {
                local.required("must be set when seccomp type is Localhost");
            } else {
                PathRules.relativeWithoutBacksteps(local);
            }
        } else if (local.present()) {
            local.invalid(profile.value(), "can only be set when seccomp type is Localhost");
        }
    }

    private static void appArmor(FieldCursor profile) {
        if (!profile.present()) {
            return;
        }
        FieldCursor type = profile.at("type");
        FieldCursor local = profile.at("localhostProfile");
        switch (type.text()) {
            case LOCALHOST -> {
                if (local.text().isEmpty()) {
                    local.required("must be set when AppArmor type is Localhost");
                } else if (!local.text().equals(local.text().strip())) {
                    local.invalid("must not be padded with whitespace");
                }
                if (local.text().length() > MAX_PROFILE_LENGTH) {
                    local.tooLong(MAX_PROFILE_LENGTH);
                }
            }
            case "RuntimeDefault", "Unconfined" -> {
                if (local.present()) {
                    local.invalid("can only be set when AppArmor type is Localhost");
                }
            }
            case "" -> type.required("type is required when appArmorProfile is set");
            default -> type.notSupported(PROFILE_TYPES);
        }
    }

    private static void sysctls(FieldCursor context, FieldCursor spec) {
        Set<String> seen = new HashSet<>();
        for (FieldCursor sysctl : context.each("sysctls")) {
            FieldCursor name = sysctl.at("name");
            String text = name.text();
            if (text.isEmpty()) {
                name.required();
            } else if (text.length() > MAX_SYSCTL_LENGTH
                    || !SYSCTL.matcher(text).matches()) {
                name.invalid("must have at most " + MAX_SYSCTL_LENGTH + " characters and match regex " + SYSCTL_TEXT);
            } else if (!seen.add(text)) {
                name.duplicate();
            }
            String dotted = text.replace('/', '.');
            if (spec.flag("hostNetwork") && dotted.startsWith("net.")) {
                name.invalid("may not be specified when 'hostNetwork' is true");
            } else if (spec.flag("hostIPC") && isOfIpc(dotted)) {
                name.invalid("may not be specified when 'hostIPC' is true");
            }
        }
    }

    private static boolean isOfIpc(String sysctl) {
        return sysctl.equals("kernel.sem")
                || sysctl.startsWith("kernel.shm")
                || sysctl.startsWith("kernel.msg")
                || sysctl.startsWith("fs.mqueue.");
    }
}
