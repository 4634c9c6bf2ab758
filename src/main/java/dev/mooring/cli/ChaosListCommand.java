package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code mooring chaos list}: who can be killed, how often they died, and what is armed. */
@Command(name = "list", aliases = "status", description = "Show the verticles, how they fare, and what is armed.")
final class ChaosListCommand implements Callable<Integer> {
    private static final List<String> HEADER =
            List.of("VERTICLE", "STATE", "RESTARTS", "DEATHS IN A ROW", "UNTIL", "LAST CAUSE");

    private final Ambient ambient;

    @Mixin
    private ChaosCall call;

    ChaosListCommand(Ambient ambient) {
        this.ambient = ambient;
    }

    @Override
    public Integer call() throws IOException {
        ObjectNode report = call.report(ambient);
        if (call.isJson()) {
            ambient.out().println(report.toPrettyString());
            return ExitCode.OK.number();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEADER);
        for (JsonNode each : report.path("verticles")) {
            rows.add(List.of(
                    text(each, "name"),
                    text(each, "state"),
                    text(each, "restarts"),
                    text(each, "deathsInARow"),
                    text(each, "until"),
                    text(each, "lastCause")));
        }
        print(rows);
        for (JsonNode each : report.path("faults")) {
            ambient.out().println("armed: " + words(each));
        }
        if (report.path("faults").isEmpty()) {
            ambient.err().println("Nothing is armed");
        }
        return ExitCode.OK.number();
    }

    private static String words(JsonNode fault) {
        StringJoiner words = new StringJoiner(" ");
        fault.properties().forEach(field -> {
            String value = field.getValue().isTextual()
                    ? field.getValue().asText()
                    : field.getValue().toString();
            words.add(field.getKey().equals("fault") ? value : field.getKey() + "=" + value);
        });
        return words.toString();
    }

    private void print(List<List<String>> rows) {
        int[] widths = new int[HEADER.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 3));
            }
            ambient.out().println(line.toString().stripTrailing());
        }
    }

    /** A cause may have several lines, and whatever else an exception says. */
    private static String text(JsonNode object, String field) {
        String text = object.path(field).asText("");
        return text.chars().noneMatch(Character::isISOControl) ? text : text.replaceAll("\\p{Cntrl}", " ");
    }
}
