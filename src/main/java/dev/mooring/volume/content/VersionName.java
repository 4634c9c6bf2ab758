package dev.mooring.volume.content;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Names of version directories, such as {@code ..2016_02_01_15_04_05.123456789}. Stateless. */
final class VersionName {
    private static final String PATTERN = "..dddd_dd_dd_dd_dd_dd.";
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "'..'uuuu_MM_dd_HH_mm_ss.SSSSSSSSS", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private VersionName() {}

    static String at(Instant time) {
        return FORMAT.format(time);
    }

    /** Returns whether the name has the form that this writer and the kubelet use. */
    static boolean matches(String name) {
        if (name.length() <= PATTERN.length()) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            char expected = i < PATTERN.length() ? PATTERN.charAt(i) : 'd';
            char found = name.charAt(i);
            if (expected == 'd' ? found < '0' || found > '9' : found != expected) {
                return false;
            }
        }
        return true;
    }
}
