package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.server.ExitCode;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code mooring chaos list}: lists verticles, their restarts, and armed faults. */
@Command(name = "list", aliases = "status", description = "Show the verticles, their states, and the armed faults.")
final class ChaosListCommand implements Callable<Integer> {
    private static final List<String> HEADER =
            List.of("VERTICLE", "STATE", "RESTARTS", "DEATHS IN A ROW", "UNTIL", "LAST CAUSE");

    private final ProcessEnvironment environment;

    @Mixin
    private ChaosClient call;

    ChaosListCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        ObjectNode report = call.report(environment);
        if (call.isJson()) {
            environment.out().println(report.toPrettyString());
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
            environment.out().println("armed: " + describe(each));
        }
        if (report.path("faults").isEmpty()) {
            environment.err().println("No faults are armed");
        }
        return ExitCode.OK.number();
    }

    private static String describe(JsonNode fault) {
        StringJoiner fields = new StringJoiner(" ");
        fault.properties().forEach(field -> {
            String value = field.getValue().isTextual()
                    ? field.getValue().asText()
                    : field.getValue().toString();
            fields.add(field.getKey().equals("fault") ? value : field.getKey() + "=" + value);
        });
        return fields.toString();
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
            environment.out().println(line.toString().stripTrailing());
        }
    }

    /** Returns a field as printable text on one line; causes come from arbitrary exceptions. */
    private static String text(JsonNode object, String field) {
        String text = object.path(field).asText("");
        return text.chars().noneMatch(Character::isISOControl) ? text : text.replaceAll("\\p{Cntrl}", " ");
    }
}
