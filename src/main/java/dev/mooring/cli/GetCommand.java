package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.KindNames;
import dev.mooring.cli.ObjectNames.NamedObjects;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mooring get}: prints objects as {@code kubectl get} does, now or at a past moment. */
@Command(
        name = "get",
        description = "Print objects, as they are now or were at a past moment.",
        footer = {
            "",
            "  mooring get pvc -n shop",
            "  mooring get pv,pvc --at 10m",
            "  mooring get pod/web --at 812 -o yaml",
            "  mooring get pvc -A -l app=web --at 2026-01-02T03:04:05Z"
        })
final class GetCommand implements Callable<Integer> {
    enum GetOutput {
        table,
        wide,
        yaml,
        json,
        name
    }

    private final ProcessEnvironment environment;

    @Mixin
    private ServerOption server;

    @Mixin
    private ObjectArguments target;

    @Option(
            names = {"-A", "--all-namespaces"},
            description = "Objects of all namespaces.")
    private boolean allNamespaces;

    @Option(
            names = {"-l", "--selector"},
            paramLabel = "SELECTOR",
            defaultValue = "",
            showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
            description = "Only objects with these labels: app=web,tier!=db.")
    private String selector;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private GetOutput output;

    GetCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    /** The options of commands that name objects. */
    static final class ObjectArguments {
        @Parameters(
                arity = "1..2",
                paramLabel = "TYPE/NAME",
                description = "TYPE/NAME or TYPE NAME as in kubectl, such as pvc/data.")
        private List<String> object;

        @Option(
                names = {"-n", "--namespace"},
                paramLabel = "NAMESPACE",
                description = "Namespace of the object (default).")
        private String namespace;

        @Option(
                names = "--at",
                paramLabel = "MOMENT",
                description = "The past moment: a revision (812), an age (10m, 2d), or a time (2026-01-31T00:00:00Z).")
        private String at;

        String at() {
            return at;
        }

        /**
         * Returns what each of the types, {@code pv,pvc}, names.
         *
         * @throws MooringException if a type is unknown
         */
        List<NamedObjects> namedOfEachType(ProcessEnvironment environment) {
            if (object.get(0).contains("/")) {
                return List.of(named(environment));
            }
            return Stream.of(object.get(0).split(",", -1))
                    .distinct()
                    .map(type -> named(
                            environment,
                            Stream.concat(Stream.of(type), object.stream().skip(1))
                                    .toList()))
                    .toList();
        }

        /** @throws MooringException if the type is unknown */
        NamedObjects named(ProcessEnvironment environment) {
            return named(environment, object);
        }

        private NamedObjects named(ProcessEnvironment environment, List<String> arguments) {
            try {
                return new ObjectNames(environment.clock()).named(arguments, namespace);
            } catch (IllegalArgumentException e) {
                throw new MooringException(ExitCode.NOT_FOUND, e.getMessage(), e);
            }
        }
    }

    @Override
    public Integer call() throws IOException {
        List<NamedObjects> types = target.namedOfEachType(environment);
        ObjectReader asked =
                new ObjectReader(ServerOption.client(server.access(environment.environment())), target.at());
        // An age means another revision with each request.
        ObjectReader reader = asked.isPast() && types.size() > 1 ? asked.at(asked.moment()) : asked;
        boolean isTable = output == GetOutput.table || output == GetOutput.wide;
        List<ReadObjects> read = new ArrayList<>();
        for (NamedObjects each : types) {
            NamedObjects named = allNamespaces && each.name().isEmpty()
                    ? new NamedObjects(each.kind(), Optional.empty(), Optional.empty())
                    : each;
            read.add(new ReadObjects(named, read(reader, named, isTable ? ObjectReader.TABLE : ObjectReader.JSON)));
        }
        if (reader.isPast()) {
            environment
                    .err()
                    .println("# " + reader.moment().describe(environment.clock().instant()));
        }
        if (isTable) {
            printTables(read);
        } else {
            printObjects(read);
        }
        return ExitCode.OK.number();
    }

    private List<ObjectNode> read(ObjectReader reader, NamedObjects named, String accept) {
        return named.name().isPresent()
                ? List.of(reader.get(named, accept))
                : reader.pages(
                        named, selector.isEmpty() ? "" : "labelSelector=" + ObjectReader.encoded(selector), accept);
    }

    /** The objects of a type. */
    private record ReadObjects(NamedObjects named, List<ObjectNode> pages) {
        String type() {
            KindNames names = named.kind().names();
            return names.singular() + (names.group().isEmpty() ? "" : '.' + names.group());
        }
    }

    /** Prints a table for each type; with several types, names have the type in front, as in kubectl. */
    private void printTables(List<ReadObjects> read) {
        List<String> tables = new ArrayList<>();
        for (ReadObjects each : read) {
            table(each, read.size() > 1 ? each.type() + '/' : "").ifPresent(tables::add);
        }
        if (tables.isEmpty()) {
            printNothingFound(read);
        }
        environment.out().print(String.join("\n", tables));
    }

    private Optional<String> table(ReadObjects read, String prefix) {
        NamedObjects named = read.named;
        List<ObjectNode> pages = read.pages;
        boolean hasNamespaces = named.kind().isNamespaced() && named.namespace().isEmpty();
        List<List<String>> lines = new ArrayList<>();
        JsonNode columns = pages.get(0).path("columnDefinitions");
        List<String> header = new ArrayList<>(hasNamespaces ? List.of("NAMESPACE") : List.of());
        for (JsonNode column : columns) {
            if (isShown(column)) {
                header.add(column.path("name").asText().toUpperCase(Locale.ROOT));
            }
        }
        lines.add(header);
        for (JsonNode page : pages) {
            for (JsonNode row : page.path("rows")) {
                List<String> line = new ArrayList<>();
                if (hasNamespaces) {
                    line.add(row.at("/object/metadata/namespace").asText());
                }
                for (int i = 0; i < columns.size(); i++) {
                    if (isShown(columns.get(i))) {
                        line.add((i == 0 ? prefix : "")
                                + TextColumns.clean(row.path("cells").path(i).asText()));
                    }
                }
                lines.add(line);
            }
        }
        return lines.size() == 1 ? Optional.empty() : Optional.of(TextColumns.align(lines, TextColumns.TABLE));
    }

    private boolean isShown(JsonNode column) {
        return output == GetOutput.wide || column.path("priority").asInt() == 0;
    }

    private void printNothingFound(List<ReadObjects> read) {
        environment
                .err()
                .println("No resources found"
                        + read.stream()
                                .flatMap(each -> each.named.namespace().stream())
                                .findFirst()
                                .map(namespace -> " in " + namespace + " namespace.")
                                .orElse(""));
    }

    private void printObjects(List<ReadObjects> read) {
        ArrayNode items = JsonNodeFactory.instance.arrayNode();
        List<String> names = new ArrayList<>();
        for (ReadObjects each : read) {
            ArrayNode own = items(each);
            own.forEach(item -> names.add(
                    each.type() + '/' + item.path("metadata").path("name").asText()));
            items.addAll(own);
        }
        if (output == GetOutput.name) {
            names.forEach(environment.out()::println);
            if (names.isEmpty()) {
                printNothingFound(read);
            }
            return;
        }
        JsonNode shown = items.path(0);
        if (read.size() > 1 || read.get(0).named.name().isEmpty()) {
            ObjectNode list = JsonNodeFactory.instance.objectNode();
            list.put("apiVersion", "v1").set("items", items);
            shown = list.put("kind", "List")
                    .set("metadata", JsonNodeFactory.instance.objectNode().put("resourceVersion", ""));
        }
        environment.out().print(output == GetOutput.yaml ? ObjectReader.yaml(shown) : shown.toPrettyString() + '\n');
    }

    private static ArrayNode items(ReadObjects read) {
        ArrayNode items = JsonNodeFactory.instance.arrayNode();
        for (ObjectNode page : read.pages) {
            if (read.named.name().isPresent()) {
                items.add(ObjectReader.withoutManagedFields(page));
            } else {
                page.path("items")
                        .forEach(item -> items.add(withType(read.named.kind().names(), (ObjectNode) item)));
            }
        }
        return items;
    }

    private static ObjectNode withType(KindNames names, ObjectNode item) {
        ObjectNode typed = JsonNodeFactory.instance.objectNode();
        typed.put("apiVersion", names.apiVersion()).put("kind", names.kind());
        return typed.setAll(ObjectReader.withoutManagedFields(item));
    }
}
