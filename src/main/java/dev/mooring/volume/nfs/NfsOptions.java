package dev.mooring.volume.nfs;

import dev.mooring.model.NearestMatch;
import dev.mooring.volume.nfs.OptionRule.Flag;
import dev.mooring.volume.nfs.OptionRule.ForbiddenOption;
import dev.mooring.volume.nfs.OptionRule.OneOf;
import dev.mooring.volume.nfs.OptionRule.PatternRule;
import dev.mooring.volume.nfs.OptionRule.SomeOf;
import dev.mooring.volume.nfs.OptionRule.WholeNumber;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Supported NFS mount options and their values. Unknown options are refused before the server is contacted, because
 * mount.nfs does not report which option was wrong. Immutable and thread-safe.
 */
final class NfsOptions {
    private static final long MAX_NUMBER = Integer.MAX_VALUE;
    private static final int MAX_CONNECTIONS = 16;
    private static final int MAX_PORT = 65_535;
    private static final int MAX_LENGTH = 255;
    private static final Map<String, OptionRule> RULES = rules();

    private NfsOptions() {}

    private static Map<String, OptionRule> rules() {
        Map<String, OptionRule> rules = new TreeMap<>(); // sorted, for suggestions
        flags(
                rules,
                "v3 v4 v4.0 v4.1 v4.2 tcp udp rdma hard soft softerr softreval nosoftreval intr nointr fg lock nolock"
                        + " cto nocto ac noac acl noacl rdirplus nordirplus sharecache nosharecache resvport noresvport"
                        + " migration nomigration trunkdiscovery notrunkdiscovery sloppy");
        flags(
                rules,
                "ro rw atime noatime relatime norelatime strictatime nostrictatime diratime nodiratime lazytime"
                    + " nolazytime exec noexec suid nosuid dev nodev sync async dirsync nosymfollow symfollow defaults"
                    + " auto noauto _netdev");
        OptionRule versions = new OneOf(List.of("3", "4", "4.0", "4.1", "4.2"));
        rules.put("vers", versions);
        rules.put("nfsvers", versions);
        rules.put("minorversion", new WholeNumber(0, 2));
        rules.put("proto", new OneOf(List.of("tcp", "tcp6", "udp", "udp6", "rdma", "rdma6")));
        rules.put("mountproto", new OneOf(List.of("tcp", "tcp6", "udp", "udp6")));
        rules.put("mountvers", new WholeNumber(1, 3));
        rules.put("sec", new SomeOf(List.of("sys", "krb5", "krb5i", "krb5p", "none")));
        rules.put("xprtsec", new OneOf(List.of("none", "tls", "mtls")));
        rules.put("local_lock", new OneOf(List.of("all", "flock", "posix", "none")));
        rules.put("lookupcache", new OneOf(List.of("all", "none", "pos", "positive")));
        rules.put("write", new OneOf(List.of("lazy", "eager", "wait")));
        for (String each : split("rsize wsize timeo")) {
            rules.put(each, new WholeNumber(1, MAX_NUMBER));
        }
        for (String each : split("retrans retry acregmin acregmax acdirmin acdirmax actimeo namlen")) {
            rules.put(each, new WholeNumber(0, MAX_NUMBER));
        }
        for (String each : split("port mountport")) {
            rules.put(each, new WholeNumber(0, MAX_PORT));
        }
        for (String each : split("nconnect max_connect")) {
            rules.put(each, new WholeNumber(1, MAX_CONNECTIONS));
        }
        rules.put(
                "fsc",
                new PatternRule(
                        "nothing or a name", Pattern.compile("[A-Za-z0-9._-]+"), PatternRule.Presence.OPTIONAL));
        rules.put(
                "clientaddr",
                new PatternRule("an address", Pattern.compile("[0-9A-Fa-f.:]+"), PatternRule.Presence.NEEDED));
        for (String each : split("context fscontext defcontext rootcontext")) {
            rules.put(
                    each,
                    new PatternRule(
                            "an SELinux context", Pattern.compile("[A-Za-z0-9_.:-]+"), PatternRule.Presence.NEEDED));
        }
        refused(rules);
        return Map.copyOf(rules);
    }

    private static void refused(Map<String, OptionRule> rules) {
        rules.put(
                "bg",
                new ForbiddenOption(
                        "would report success before anything is mounted; omit it: a mount that fails is retried"
                                + " anyway"));
        rules.put("nofail", new ForbiddenOption("would report success although nothing is mounted; omit it"));
        for (String each : split("bind rbind move remount loop")) {
            rules.put(each, new ForbiddenOption("does not mount an export; omit it"));
        }
        for (String each : split("addr mounthost mountaddr")) {
            rules.put(each, new ForbiddenOption("would use another server than that of the volume; change nfs.server"));
        }
        for (String each : split("user users nouser owner group")) {
            rules.put(each, new ForbiddenOption("sets which users may mount, but only this node does; omit it"));
        }
    }

    private static void flags(Map<String, OptionRule> rules, String names) {
        OptionRule flag = new Flag();
        for (String each : split(names)) {
            rules.put(each, flag);
        }
    }

    private static List<String> split(String text) {
        return List.of(text.split(" ", -1));
    }

    /** Returns an error for the first invalid option; empty if all are valid. */
    static Optional<String> validationError(List<String> options) {
        String version = "";
        for (String option : options) {
            Optional<String> wrong = validationError(option);
            if (wrong.isPresent()) {
                return wrong;
            }
            Optional<String> asked = version(option);
            if (asked.isPresent() && !version.isEmpty()) {
                return Optional.of("invalid mount options: the NFS version is specified twice, as " + version + " and "
                        + asked.get() + "; omit one");
            }
            version = asked.orElse(version);
        }
        return Optional.empty();
    }

    private static Optional<String> validationError(String option) {
        if (option.isEmpty() || option.length() > MAX_LENGTH || option.startsWith("-") || !isPrintable(option)) {
            return Optional.of(invalidOption(option) + ": it must be 1 to " + MAX_LENGTH
                    + " printable characters and not begin with '-'");
        }
        if (option.indexOf(',') >= 0) {
            return Optional.of(invalidOption(option) + ": it contains a comma; write each option as a separate entry");
        }
        String name = name(option);
        OptionRule rule = RULES.get(name);
        if (rule == null) {
            return Optional.of(invalidOption(option) + ": NFS volumes have no option \"" + name + '"'
                    + NearestMatch.strict(name, RULES.keySet())
                            .map(known -> "; did you mean \"" + known + "\"?")
                            .orElse("; see `man 5 nfs`"));
        }
        return rule.validationError(value(option)).map(why -> invalidOption(option) + ": \"" + name + "\" " + why);
    }

    private static boolean isPrintable(String text) {
        return text.chars().allMatch(each -> each > ' ' && each < 0x7f);
    }

    private static String invalidOption(String option) {
        StringBuilder shown = new StringBuilder("invalid mount option \"");
        option.chars().limit(MAX_LENGTH).forEach(each -> shown.append(each < ' ' || each == 0x7f ? '?' : (char) each));
        return shown.append('"').toString();
    }

    static String name(String option) {
        int equals = option.indexOf('=');
        return equals < 0 ? option : option.substring(0, equals);
    }

    static Optional<String> value(String option) {
        int equals = option.indexOf('=');
        return equals < 0 ? Optional.empty() : Optional.of(option.substring(equals + 1));
    }

    /** Returns the value of the last option with this name, which takes precedence. */
    static Optional<String> value(List<String> options, String name) {
        Optional<String> found = Optional.empty();
        for (String each : options) {
            if (name(each).equals(name)) {
                found = value(each);
            }
        }
        return found;
    }

    /** Returns the NFS version that an option requests: 3, 4, 4.0, 4.1 or 4.2; empty if it requests none. */
    static Optional<String> version(String option) {
        String name = name(option);
        if (name.equals("vers") || name.equals("nfsvers")) {
            return value(option);
        }
        boolean isShort = name.length() > 1 && name.charAt(0) == 'v' && Character.isDigit(name.charAt(1));
        return isShort ? Optional.of(name.substring(1)) : Optional.empty();
    }

    /** Returns the requested NFS version; empty if server and kernel negotiate it. */
    static Optional<String> version(List<String> options) {
        return options.stream().flatMap(each -> version(each).stream()).findFirst();
    }
}
