package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.cli.ObjectReader.HistoryMoment;
import dev.mooring.model.KindResources;
import dev.mooring.model.ObjectKey;
import dev.mooring.server.ExitCode;
import dev.mooring.server.ProcessEnvironment;
import dev.mooring.server.Terminal;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mooring diff}: prints what changed between two moments, objects and mounts. */
@Command(
        name = "diff",
        description = "Print what changed between two moments: objects and mounts.",
        footer = {
            "",
            "A moment is a revision (812), an age (10m, 2d), or a time (2026-01-31T00:00:00Z).",
            "",
            "  mooring diff --from 10m",
            "  mooring diff --from 812 --to 840 -n shop -o yaml"
        })
final class DiffCommand implements Callable<Integer> {
    enum DiffOutput {
        summary,
        yaml,
        json_patch;

        @Override
        public String toString() {
            return name().replace('_', '-');
        }
    }

    private static final Set<String> MOUNTS = Set.of("desiredvolumes", "actualvolumes");
    private static final String RED = "\u001b[31m";
    private static final String GREEN = "\u001b[32m";
    private static final String RESET = "\u001b[0m";

    private final ProcessEnvironment environment;
    private final ObjectNames names;
    private boolean isColored;

    @Mixin
    private ServerOption server;

    @Option(names = "--from", required = true, paramLabel = "MOMENT", description = "The first moment.")
    private String from;

    @Option(
            names = {"--to", "--at"},
            paramLabel = "MOMENT",
            description = "The second moment (now).")
    private String to;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Only objects of a namespace, and the volumes and mounts of its claims and Pods (all).")
    private String namespace;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "summary",
            description = "${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private DiffOutput output;

    DiffCommand(ProcessEnvironment environment) {
        this.environment = environment;
        this.names = new ObjectNames(environment.clock());
    }

    @Override
    public Integer call() throws IOException {
        isColored = Terminal.stdoutIsTerminal() && Terminal.environmentAllowsColor(environment.environment());
        StringBuilder path = new StringBuilder("/apis/mooring.dev/v1/diff?from=").append(ObjectReader.encoded(from));
        if (to != null) {
            path.append("&to=").append(ObjectReader.encoded(to));
        }
        if (namespace != null) {
            path.append("&namespace=").append(ObjectReader.encoded(namespace));
        }
        if (output == DiffOutput.yaml) {
            path.append("&view=full");
        }
        ObjectNode diff =
                ServerOption.client(server.access(environment.environment())).get(path.toString());
        Instant now = environment.clock().instant();
        environment
                .err()
                .println("# from " + HistoryMoment.of(diff.path("from")).describe(now) + "\n# to   "
                        + HistoryMoment.of(diff.path("to")).describe(now));
        if (diff.path("items").isEmpty()) {
            environment
                    .err()
                    .println("No differences" + (namespace == null ? "" : " in " + namespace + " namespace") + '.');
        }
        switch (output) {
            case summary -> printSummary(diff.path("items"));
            case yaml -> diff.path("items").forEach(this::printYaml);
            case json_patch ->
                environment.out().println(patches(diff.path("items")).toPrettyString());
        }
        return ExitCode.OK.number();
    }

    private void printSummary(JsonNode items) {
        List<JsonNode> objects = new ArrayList<>();
        List<JsonNode> mounts = new ArrayList<>();
        items.forEach(item -> (MOUNTS.contains(item.path("resource").asText()) ? mounts : objects).add(item));
        printPart("Objects:", objects);
        printPart("Mounts:", mounts);
    }

    private void printPart(String title, List<JsonNode> items) {
        if (items.isEmpty()) {
            return;
        }
        List<List<String>> lines = new ArrayList<>();
        for (JsonNode item : items) {
            lines.add(List.of(
                    sign(item) + ' ' + name(item),
                    TextColumns.clean(item.path("summary").asText())));
        }
        environment.out().println(title);
        TextColumns.align(lines, TextColumns.DESCRIPTION)
                .lines()
                .forEach(line -> environment.out().println("  " + colored(line)));
    }

    private static String sign(JsonNode item) {
        return switch (item.path("change").asText()) {
            case "created" -> "+";
            case "deleted" -> "-";
            default -> "~";
        };
    }

    /** Returns the short name of an object: {@code pvc/shop/data}. */
    private String name(JsonNode item) {
        String plural = item.path("resource").asText();
        String resource = KindResources.all().stream()
                .filter(kind -> kind.kind().equals(item.path("kind").asText())
                        && kind.resource().replaceFirst("\\..*", "").equals(plural))
                .map(KindResources.ResourceKind::resource)
                .findFirst()
                .orElse(plural);
        String namespaceName = item.path("namespace").asText();
        return names.shortened(ObjectKey.parse(resource
                + '/'
                + (namespaceName.isEmpty() ? "" : namespaceName + '/')
                + item.path("name").asText()));
    }

    private String colored(String line) {
        char sign = line.isEmpty() ? ' ' : line.charAt(0);
        return isColored && (sign == '+' || sign == '-') ? (sign == '+' ? GREEN : RED) + line + RESET : line;
    }

    private void printYaml(JsonNode item) {
        environment.out().println(colored("--- " + (item.has("before") ? name(item) : "/dev/null")));
        environment.out().println(colored("+++ " + (item.has("after") ? name(item) : "/dev/null")));
        LineDiff.unified(lines(item.path("before")), lines(item.path("after")))
                .forEach(line -> environment.out().println(colored(TextColumns.clean(line))));
    }

    private static List<String> lines(JsonNode object) {
        return object.isMissingNode()
                ? List.of()
                : ObjectReader.yaml(object).lines().toList();
    }

    private static ArrayNode patches(JsonNode items) {
        ArrayNode patches = JsonNodeFactory.instance.arrayNode();
        for (JsonNode item : items) {
            ObjectNode patch = patches.addObject();
            for (String field : List.of("change", "resource", "kind", "namespace", "name", "uid", "patch")) {
                if (item.has(field)) {
                    patch.set(field, item.get(field));
                }
            }
        }
        return patches;
    }
}
