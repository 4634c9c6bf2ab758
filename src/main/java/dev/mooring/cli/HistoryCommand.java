package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.cli.ObjectNames.NamedObjects;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.PointInTime;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mooring history}: prints what happened to an object, or to all objects. */
@Command(
        name = "history",
        description = "Print what happened to an object, or to all, oldest first: who changed what, and why.",
        footer = {
            "",
            "Kubernetes Events, Leases and details of the status are hidden unless --all is given.",
            "A moment is a revision (812), an age (10m, 2d), or a time (2026-01-31T00:00:00Z).",
            "",
            "  mooring history pvc/data -n shop",
            "  mooring history pod/web -f",
            "  mooring history --since 10m --actor admin",
            "  mooring history pvc/data --causes",
            "  mooring history --effects --at 812"
        })
final class HistoryCommand implements Callable<Integer> {
    private static final String PATH = "/apis/mooring.dev/v1/history";
    private static final int PAGE = 500;

    private final ProcessEnvironment environment;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ServerOption server;

    @Parameters(
            arity = "0..2",
            paramLabel = "TYPE/NAME",
            description = "TYPE/NAME or TYPE NAME as in kubectl, such as pvc/data (all objects).")
    private List<String> object = List.of();

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Namespace of the object (default); without an object: only this namespace (all).")
    private String namespace;

    @Option(
            names = {"-f", "--follow"},
            description = "Wait for new events and print them.")
    private boolean follow;

    @Option(names = "--since", paramLabel = "MOMENT", description = "Only events at or after this moment.")
    private String since;

    @Option(
            names = {"--until", "--at"},
            paramLabel = "MOMENT",
            description = "Only events up to this moment.")
    private String until;

    @Option(names = "--tail", paramLabel = "N", description = "Only the last N events.")
    private Integer tail;

    @Option(names = "--actor", paramLabel = "NAME", description = "Only events of this user or controller.")
    private String actor;

    @Option(names = "--type", paramLabel = "TYPE", description = "Only events of this type, such as VolumeBound.")
    private String type;

    @Option(names = "--all", description = "Include Kubernetes Events, Leases and details of the status.")
    private boolean all;

    @Option(
            names = "--causes",
            description = "Print the last of these events and its causes, back to the request that began it.")
    private boolean causes;

    @Option(names = "--effects", description = "Print the last of these events and everything that followed from it.")
    private boolean effects;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}). JSON has one event per line, hidden ones too.")
    private OutputFormat output;

    private ApiClient client;
    private ObjectNames names;
    private Optional<ObjectKey> key = Optional.empty();
    private StreamedTable table;
    private boolean hasPrinted;
    private int hidden;

    HistoryCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        names = new ObjectNames(environment.clock());
        checkOptions();
        client = ServerOption.client(server.access(environment.environment()));
        table = new StreamedTable(environment.out(), "REVISION", "TIME", "ACTOR", "TYPE", "CHANGE");
        JsonNode metadata;
        if (causes || effects) {
            metadata = printChain();
        } else {
            metadata = tail == null ? printAll() : printTail();
        }
        table.flush();
        reportRetention(metadata);
        if (follow) {
            follow(metadata.path("resourceVersion").asLong());
        }
        if (hidden > 0) {
            environment
                    .err()
                    .println("… " + hidden + (hidden == 1 ? " status update" : " status updates")
                            + " hidden; --all shows them");
        } else if (!hasPrinted) {
            environment.err().println("mooring: No event matches");
        }
        return ExitCode.OK.number();
    }

    private void checkOptions() {
        if (tail != null && tail < 1) {
            throw usage("--tail must be at least 1, got " + tail);
        }
        if (causes && effects) {
            throw usage("--causes and --effects exclude each other");
        }
        if ((causes || effects) && (follow || tail != null)) {
            throw usage("--follow and --tail cannot be combined with --causes or --effects");
        }
        if (follow && until != null) {
            throw usage("--follow cannot be combined with --until");
        }
        Instant now = environment.clock().instant();
        try {
            if (since != null) {
                PointInTime.parse("--since", since, now);
            }
            if (until != null) {
                PointInTime.parse("--until", until, now);
            }
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
        if (!object.isEmpty()) {
            key = Optional.of(named());
        }
    }

    private ObjectKey named() {
        try {
            NamedObjects named = names.named(object, namespace);
            if (named.name().isEmpty()) {
                throw usage("Missing name after the type: name one object as TYPE/NAME, such as pvc/data");
            }
            return named.key();
        } catch (IllegalArgumentException e) {
            throw new MooringException(ExitCode.NOT_FOUND, e.getMessage(), e);
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Returns the request's path with the filters. */
    private String path(String parameters) {
        StringBuilder path = new StringBuilder(PATH).append('?').append(parameters);
        key.ifPresent(each -> append(path, "object", each.text()));
        append(path, "namespace", key.isPresent() ? null : namespace);
        append(path, "type", type);
        append(path, "actor", actor);
        return path.toString();
    }

    private static void append(StringBuilder path, String name, String value) {
        if (value != null) {
            path.append('&').append(name).append('=').append(ObjectReader.encoded(value));
        }
    }

    private String range(String parameters) {
        StringBuilder path = new StringBuilder(path(parameters));
        append(path, "from", since);
        append(path, "to", until);
        return path.toString();
    }

    /** Prints all pages and returns the metadata of the first, whose revision all of them are limited to. */
    private JsonNode printAll() {
        String path = range("limit=" + PAGE);
        ObjectNode page = client.get(path);
        JsonNode first = page.path("metadata");
        while (true) {
            for (JsonNode item : page.path("items")) {
                print(item);
            }
            String next = page.path("metadata").path("continue").asText();
            if (next.isEmpty() || environment.out().checkError()) {
                return first;
            }
            page = client.get(path + "&continue=" + ObjectReader.encoded(next));
        }
    }

    /** Prints the last events, of which hidden ones do not count. */
    private JsonNode printTail() {
        Deque<JsonNode> newest = new ArrayDeque<>();
        String path = range("order=desc&limit=" + Math.min(PAGE, Math.max(tail, 1)));
        ObjectNode page = client.get(path);
        JsonNode first = page.path("metadata");
        int shown = 0;
        while (true) {
            for (JsonNode item : page.path("items")) {
                if (shown < tail) {
                    newest.addFirst(item);
                    shown += isHidden(item) ? 0 : 1;
                }
            }
            String next = page.path("metadata").path("continue").asText();
            if (next.isEmpty() || shown >= tail) {
                newest.forEach(this::print);
                return first;
            }
            page = client.get(path + "&continue=" + ObjectReader.encoded(next));
        }
    }

    /** Prints the causes or effects of the last matching event. */
    private JsonNode printChain() {
        String path = range("order=desc&limit=50");
        ObjectNode page = client.get(path);
        Optional<JsonNode> last = lastShown(page);
        while (last.isEmpty()
                && !page.path("metadata").path("continue").asText().isEmpty()) {
            page = client.get(path + "&continue="
                    + ObjectReader.encoded(
                            page.path("metadata").path("continue").asText()));
            last = lastShown(page);
        }
        if (last.isEmpty()) {
            return page.path("metadata");
        }
        ObjectNode chain = client.get(PATH
                + '?'
                + (causes ? "causes=" : "effects=")
                + last.get().path("revision").asLong());
        key = Optional.empty();
        Deque<JsonNode> ordered = new ArrayDeque<>();
        for (JsonNode item : chain.path("items")) {
            if (causes) {
                ordered.addFirst(item);
            } else {
                ordered.addLast(item);
            }
        }
        ordered.forEach(this::print);
        if (chain.path("metadata").path("truncated").asBoolean()) {
            environment
                    .err()
                    .println("… more events are not shown, because there are too many or they are not retained");
        }
        return chain.path("metadata");
    }

    private Optional<JsonNode> lastShown(ObjectNode page) {
        for (JsonNode item : page.path("items")) {
            if (all || !item.path("folded").asBoolean()) {
                return Optional.of(item);
            }
        }
        return Optional.empty();
    }

    private void follow(long printed) {
        long[] reached = {printed};
        while (!environment.out().checkError()) {
            client.stream(path("watch=true&from=" + (reached[0] + 1)), event -> {
                JsonNode item = event.path("object");
                if (event.path("type").asText().equals("ADDED")) {
                    reached[0] = item.path("revision").asLong();
                    print(item);
                    table.flush();
                } else {
                    reached[0] = Math.max(
                            reached[0],
                            item.path("metadata").path("resourceVersion").asLong());
                }
                return !environment.out().checkError();
            });
        }
    }

    /** Says on stderr that older events are missing, if they are of the wanted time. */
    private void reportRetention(JsonNode metadata) {
        String oldest = metadata.path("oldestRevision").asText();
        if (!oldest.isEmpty() && since == null && tail == null) {
            environment.err().println("… events before revision " + oldest + " are not retained (log.retention)");
        }
    }

    private boolean isHidden(JsonNode item) {
        return output == OutputFormat.TEXT && !all && item.path("folded").asBoolean();
    }

    private void print(JsonNode item) {
        if (isHidden(item)) {
            hidden++;
            return;
        }
        hasPrinted = true;
        if (output == OutputFormat.JSON) {
            environment.out().println(item);
            return;
        }
        table.add(
                item.path("revision").asText(),
                EventFormatter.TIME.format(Instant.parse(item.path("time").asText())),
                item.path("actor").asText(),
                item.path("type").asText(),
                changes(item) + reason(item));
    }

    private static String reason(JsonNode item) {
        String reason = item.path("reason").asText();
        return reason.isEmpty() ? "" : "  (" + reason + ')';
    }

    /** Returns what changed: of the wanted object, or of all with their names. */
    private String changes(JsonNode item) {
        StringJoiner text = new StringJoiner("; ");
        for (JsonNode change : item.path("changes")) {
            if (key.isEmpty()) {
                text.add(sign(change)
                        + names.shortened(keyOf(change))
                        + separated(" ", change.path("summary").asText()));
            } else if (keyOf(change).equals(key.get())) {
                String kind = change.path("change").asText();
                String summary = change.path("summary").asText();
                text.add(kind.equals("updated") ? summary : kind + separated(": ", summary));
            }
        }
        return text.toString();
    }

    private static String separated(String separator, String text) {
        return text.isEmpty() ? "" : separator + text;
    }

    private static char sign(JsonNode change) {
        return switch (change.path("change").asText()) {
            case "created" -> '+';
            case "deleted" -> '-';
            default -> '~';
        };
    }

    private ObjectKey keyOf(JsonNode change) {
        String at = change.path("namespace").asText();
        return names.named(
                        List.of(
                                change.path("resource").asText(),
                                change.path("name").asText()),
                        at.isEmpty() ? null : at)
                .key();
    }
}
