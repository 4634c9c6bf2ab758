package dev.mooring.conformance;

import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Masks values that differ between two runs of the same session: directories, UIDs, times, ages, resource versions,
 * column widths. The record was masked by the same rules; changing them requires a new record.
 */
final class GoldenText {
    private static final Pattern UID = Pattern.compile("\\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b");
    private static final Pattern TIME = Pattern.compile(
            "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ|\\w{3}, \\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d [+-]\\d{4}");
    private static final Pattern REVISION = Pattern.compile("resourceVersion\": ?\"\\d+\"");
    private static final Pattern AGE = Pattern.compile("(?<=[\\s(])\\d+[smhd](\\d+[smhd])?(?=[\\s)]|$)");
    private static final Pattern TEMPORARY = Pattern.compile("/tmp/[\\w.-]*/");

    /** Internal dump of both objects, which Kubernetes appends to some error messages; not compared. */
    private static final Pattern DUMP = Pattern.compile("^\\s*@@ .*", Pattern.DOTALL | Pattern.MULTILINE);

    private static final Pattern SPACES = Pattern.compile("\\s+");

    /** Namespace of a deleted object, which newer clients print and the recorded client did not. */
    private static final Pattern FROM_NAMESPACE =
            Pattern.compile("(?<=deleted) from \\S+ namespace$", Pattern.MULTILINE);

    private GoldenText() {}

    static String masked(String text, Path directory) {
        String masked = text.replace(directory.toString(), "<dir>");
        masked = UID.matcher(masked).replaceAll("<uid>");
        masked = TIME.matcher(masked).replaceAll("<time>");
        masked = REVISION.matcher(masked).replaceAll("resourceVersion\":\"<rv>\"");
        masked = AGE.matcher(masked).replaceAll("<age>");
        masked = TEMPORARY.matcher(masked).replaceAll("<tmp>/");
        masked = DUMP.matcher(masked).replaceAll("");
        masked = FROM_NAMESPACE.matcher(masked).replaceAll("");
        return masked.lines()
                .filter(line -> !line.isBlank() && !line.startsWith("WARNING: version difference"))
                .map(line -> SPACES.matcher(line).replaceAll(" ").strip())
                .collect(Collectors.joining("\n"));
    }
}
