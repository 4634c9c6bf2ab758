package dev.mooring.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.mooring.api.types.Column;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.NearestMatch;
import dev.mooring.model.ObjectDiff;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.PointInTime;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.replay.Recording;
import dev.mooring.replay.Redaction;
import dev.mooring.replay.explain.Explainer;
import dev.mooring.replay.explain.Explanation;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.world.World;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Executes the commands of {@code mooring replay}: a position in a recording, and what a user asks about it. Prints
 * contents of Secrets and tokens never. Not thread-safe.
 */
final class ReplayStepper {
    private static final YAMLMapper YAML = YAMLMapper.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .build();

    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    /** A command of the stepper. */
    private interface Action {
        void run(Arguments arguments) throws IOException;
    }

    /** A command, with the text of its help. */
    private record StepCommand(String usage, String help, Action action) {}

    /** Words after the name of a command, and its options. */
    private record Arguments(String name, List<String> words, String namespace) {
        String only(String what) {
            if (words.size() != 1) {
                throw new IllegalArgumentException("Use: " + name + ' ' + what);
            }
            return words.get(0);
        }

        int count() {
            if (words.isEmpty()) {
                return 1;
            }
            try {
                int count = Integer.parseInt(only("[N]"));
                if (count > 0) {
                    return count;
                }
            } catch (NumberFormatException e) {
                // reported below
            }
            throw new IllegalArgumentException("Number of events must be at least 1, got \"" + words.get(0) + '"');
        }
    }

    private final Recording recording;
    private final ObjectNames names;
    private final PrintStream out;
    private final Map<String, StepCommand> commands = new LinkedHashMap<>();
    private final Map<String, String> aliases = Map.of(
            "n",
            "next",
            "p",
            "print",
            "b",
            "break",
            "r",
            "run",
            "c",
            "run",
            "continue",
            "run",
            "q",
            "quit",
            "exit",
            "quit",
            "ls",
            "list",
            "explain",
            "why");
    private final TreeMap<Integer, ReplayBreakpoint> breakpoints = new TreeMap<>();
    private int breakpointNumbers;
    private long position;
    private boolean ended;

    ReplayStepper(Recording recording, ObjectNames names, PrintStream out) {
        this.recording = recording;
        this.names = names;
        this.out = out;
        this.position = recording.first();
        add("next", "[N]", "go one event, or N events, forward", this::next);
        add("prev", "[N]", "go back", this::prev);
        add("goto", "REVISION|TIME|AGE|first|last", "go to a revision, a time, or 10m before the end", this::go);
        add("break", "CONDITION", "stop run at events: " + ReplayBreakpoint.USAGE, this::setBreakpoint);
        add("delete", "[N]", "delete breakpoint N, or all", this::deleteBreakpoint);
        add("run", "", "go to the next event of a breakpoint (also: continue)", this::run);
        add("where", "", "show the position, its event and the breakpoints", this::where);
        add("print", "TYPE/NAME [-n NS]", "show an object as YAML; contents of Secrets are left out", this::print);
        add("list", "TYPE [-n NS]", "show the objects of a type", this::list);
        add("diff", "[REVISION|TIME]", "show what the event changed, or all changes since a revision", this::diff);
        add("why", "TYPE/NAME [-n NS]", "explain the state of an object", this::why);
        add("search", ReplaySearch.USAGE, "show the events that contain all of these", this::search);
        add("help", "", "show this help", arguments -> help());
        add("quit", "", "end", arguments -> ended = true);
    }

    private void add(String name, String usage, String help, Action action) {
        commands.put(name, new StepCommand(usage.isEmpty() ? name : name + ' ' + usage, help, action));
    }

    long position() {
        return position;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Returns the words that may continue a line, for completion. */
    List<String> candidates(List<String> before) throws IOException {
        if (before.isEmpty()) {
            return List.copyOf(commands.keySet());
        }
        return switch (aliases.getOrDefault(before.get(0), before.get(0))) {
            case "print", "why", "break" ->
                world().stream(Scope.all())
                        .filter(each -> !each.key().resource().equals("events"))
                        .map(each -> names.shortened(each.key()))
                        .toList();
            case "list" ->
                world().stream(Scope.all())
                        .map(each -> names.shortened(each.key()).replaceFirst("/.*", ""))
                        .distinct()
                        .toList();
            case "goto" -> List.of("first", "last");
            default -> List.of();
        };
    }

    /**
     * Executes a line; an empty one does nothing.
     *
     * @throws MooringException for errors of the user, with an exit code for scripts
     */
    void execute(String line) throws IOException {
        List<String> words = new ArrayList<>();
        Matcher found = WORD.matcher(line);
        while (found.find()) {
            words.add(found.group(1) == null ? found.group(2) : found.group(1));
        }
        if (words.isEmpty() || words.get(0).startsWith("#")) {
            return;
        }
        String name = aliases.getOrDefault(words.get(0), words.get(0));
        StepCommand command = commands.get(name);
        if (command == null) {
            throw new MooringException(
                    ExitCode.USAGE,
                    "Unknown command \"" + words.get(0) + '"'
                            + NearestMatch.ignoringCase(words.get(0), commands.keySet())
                                    .map(near -> "; did you mean " + near + "?")
                                    .orElse("; next: help"));
        }
        try {
            command.action().run(arguments(name, words.subList(1, words.size())));
        } catch (IllegalArgumentException e) {
            throw new MooringException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    private static Arguments arguments(String name, List<String> words) {
        List<String> rest = new ArrayList<>();
        String namespace = null;
        for (Iterator<String> each = words.iterator(); each.hasNext(); ) {
            String word = each.next();
            if (word.equals("-n") || word.equals("--namespace")) {
                if (!each.hasNext()) {
                    throw new IllegalArgumentException("Missing namespace after " + word);
                }
                namespace = each.next();
            } else {
                rest.add(word);
            }
        }
        return new Arguments(name, rest, namespace);
    }

    private World world() throws IOException {
        return recording.world(position);
    }

    private Instant now() throws IOException {
        return recording.time(position).orElse(Instant.EPOCH);
    }

    private void next(Arguments arguments) throws IOException {
        int count = arguments.count();
        if (position == recording.last()) {
            throw notFound("This is the last event");
        }
        for (long end = Math.min(position + count, recording.last()); position < end; ) {
            position++;
            printEvent();
        }
    }

    private void prev(Arguments arguments) throws IOException {
        int count = arguments.count();
        if (position == recording.first()) {
            throw notFound("This is the start of the recording");
        }
        position = Math.max(recording.first(), position - count);
        printEvent();
    }

    private void go(Arguments arguments) throws IOException {
        position = revision(arguments.only("REVISION|TIME|AGE|first|last"));
        printEvent();
    }

    /** Returns the revision of a number, a time, or an age before the end of the recording. */
    long revision(String given) throws IOException {
        if (given.equals("first")) {
            return recording.first();
        }
        if (given.equals("last")) {
            return recording.last();
        }
        PointInTime point = PointInTime.parse("Moment", given, recording.end());
        if (point instanceof PointInTime.AtTime at) {
            return recording.revisionAt(at.time());
        }
        long revision = ((PointInTime.AtRevision) point).revision();
        if (revision < recording.first() || revision > recording.last()) {
            throw notFound(
                    "Revision must be from " + recording.first() + " to " + recording.last() + ", got " + revision);
        }
        return revision;
    }

    private void setBreakpoint(Arguments arguments) {
        if (arguments.words().isEmpty()) {
            showBreakpoints();
            return;
        }
        ReplayBreakpoint breakpoint = ReplayBreakpoint.parse(arguments.words(), arguments.namespace(), names);
        breakpoints.put(++breakpointNumbers, breakpoint);
        say("Breakpoint " + breakpointNumbers + ": " + breakpoint.text());
    }

    private void deleteBreakpoint(Arguments arguments) {
        if (arguments.words().isEmpty()) {
            breakpoints.clear();
        } else if (breakpoints.remove(arguments.count()) == null) {
            throw notFound("There is no breakpoint " + arguments.words().get(0));
        }
    }

    private void showBreakpoints() {
        breakpoints.forEach((number, each) -> say("Breakpoint " + number + ": " + each.text()));
    }

    private void run(Arguments arguments) throws IOException {
        if (breakpoints.isEmpty()) {
            throw new IllegalArgumentException("There is no breakpoint; use: " + ReplayBreakpoint.USAGE);
        }
        World start = world();
        Map<Integer, ReplayBreakpoint.EventMatcher> matchers = new TreeMap<>();
        breakpoints.forEach((number, each) -> matchers.put(number, each.matcher(start::get)));
        List<Integer> reached = new ArrayList<>();
        recording.scan(position, event -> {
            position = event.revision();
            matchers.forEach((number, each) -> {
                if (each.matches(event)) {
                    reached.add(number);
                }
            });
            return reached.isEmpty();
        });
        if (reached.isEmpty()) {
            throw notFound("No breakpoint was reached; this is the last event, revision " + position);
        }
        reached.forEach(number ->
                say("Breakpoint " + number + ": " + breakpoints.get(number).text()));
        printEvent();
    }

    private void where(Arguments arguments) throws IOException {
        say("Revision " + position + " of " + recording.first() + " to " + recording.last() + ", " + world().size()
                + " objects");
        printEvent();
        showBreakpoints();
    }

    private void print(Arguments arguments) throws IOException {
        ObjectKey key = key(arguments);
        StoredObject object = Redaction.redact(require(key));
        ObjectNode tree = object.toTree();
        if (tree.path("metadata") instanceof ObjectNode metadata) {
            metadata.remove("managedFields");
        }
        try {
            YAML.writeValueAsString(tree).lines().forEach(this::say);
        } catch (JsonProcessingException e) {
            throw new IOException("Failed to print " + key, e);
        }
    }

    private void list(Arguments arguments) throws IOException {
        KindDefinition kind = names.kind(arguments.only("TYPE"));
        List<Column> columns =
                kind.columns().stream().filter(each -> each.priority() == 0).toList();
        List<List<String>> rows = new ArrayList<>();
        List<String> header = new ArrayList<>(kind.isNamespaced() ? List.of("NAMESPACE") : List.of());
        columns.forEach(each -> header.add(each.name().toUpperCase(Locale.ROOT)));
        rows.add(header);
        for (StoredObject object : world().list(kind.scope(Optional.ofNullable(arguments.namespace())))) {
            List<String> row = new ArrayList<>(object.key().namespace().stream().toList());
            Instant now = now();
            columns.forEach(each -> row.add(String.valueOf(each.cell().of(object.tree(), now))));
            rows.add(row);
        }
        if (rows.size() == 1) {
            say("No " + kind.names().plural() + " at revision " + position);
        } else {
            TextColumns.align(rows, TextColumns.TABLE).lines().forEach(this::say);
        }
    }

    private void diff(Arguments arguments) throws IOException {
        if (arguments.words().isEmpty() && position == recording.first()) {
            throw notFound("This is the start of the recording; it has no event");
        }
        long other = arguments.words().isEmpty() ? position - 1 : revision(arguments.only("[REVISION|TIME]"));
        World before = recording.world(Math.min(other, position));
        List<World.Difference> differences =
                recording.world(Math.max(other, position)).differencesFrom(before, Scope.all());
        if (differences.isEmpty()) {
            say("Nothing changed");
        }
        for (World.Difference each : differences) {
            StoredObject object = each.after().or(each::before).orElseThrow();
            char sign = each.before().isEmpty() ? '+' : each.after().isEmpty() ? '-' : '~';
            say(sign + " " + names.shortened(object.key()));
            ObjectDiff.between(
                            each.before().map(Redaction::redact), each.after().map(Redaction::redact))
                    .fields()
                    .forEach(field -> say("    " + field.path() + ": "
                            + (field.from().isPresent() && field.to().isPresent()
                                    ? text(field.from()) + " → " + text(field.to())
                                    : (field.to().isPresent() ? '+' + text(field.to()) : '-' + text(field.from())))));
        }
    }

    private static String text(Optional<JsonNode> value) {
        return value.map(each -> each.isTextual() ? each.asText() : each.toString())
                .orElse("");
    }

    private void why(Arguments arguments) throws IOException {
        ObjectKey key = key(arguments);
        Explanation explanation = new Explainer(recording)
                .explain(world(), key, now(), each -> true)
                .orElseThrow(() -> missing(key));
        out.print(new ExplanationText(Integer.MAX_VALUE, false).of(explanation.json()));
    }

    private void search(Arguments arguments) throws IOException {
        if (arguments.words().isEmpty()) {
            throw new IllegalArgumentException("Use: search " + ReplaySearch.USAGE);
        }
        ReplaySearch search = ReplaySearch.parse(arguments.words(), arguments.namespace(), names);
        EventFormatter.EventTable table = new EventFormatter.EventTable(names, out);
        List<Event> found = search.find(recording, names);
        found.stream().limit(search.limit()).forEach(table::add);
        table.flush();
        if (found.isEmpty()) {
            throw notFound("No event matches");
        }
        if (found.size() > search.limit()) {
            say("… and more; add a condition, or limit=" + 10 * search.limit());
        }
    }

    private void help() {
        int width = commands.values().stream()
                .mapToInt(each -> each.usage().length())
                .filter(length -> length < 40)
                .max()
                .orElse(0);
        commands.values()
                .forEach(each -> say(each.usage()
                        + " ".repeat(Math.max(2, width + 2 - each.usage().length()))
                        + each.help()));
    }

    /** Prints the event at the position, and what it changed in each object. */
    private void printEvent() throws IOException {
        Optional<Event> event = recording.event(position);
        if (event.isEmpty()) {
            say(position + "  start of the recording, " + world().size() + " objects");
            return;
        }
        World before = recording.world(position - 1);
        say(position + "  " + EventFormatter.TIME.format(event.get().time()) + "  "
                + event.get().type() + "  by "
                + event.get().actor()
                + (event.get().cause().toString().equals("-")
                        ? ""
                        : ", cause: " + event.get().cause()));
        for (Change change : event.get().changes()) {
            char sign = change.isRemoval() ? '-' : change.isCreation() ? '+' : '~';
            String summary = change.isRemoval()
                    ? ""
                    : ObjectDiff.between(before.get(change.key()), Optional.of(change.object()))
                            .summary();
            say(("    " + sign + ' ' + names.shortened(change.key()) + "  " + summary).stripTrailing());
        }
    }

    private ObjectKey key(Arguments arguments) {
        String given = String.join("/", arguments.words());
        List<String> parts = List.of(given.split("/", -1));
        return parts.size() == 3
                ? ObjectKey.parse(names.prefixes(given, null).get(0))
                : names.key(given, arguments.namespace());
    }

    private StoredObject require(ObjectKey key) throws IOException {
        return world().get(key).orElseThrow(() -> missing(key));
    }

    private MooringException missing(ObjectKey key) {
        try {
            List<String> known = world().stream(Scope.resource(key.resource()))
                    .map(each -> names.shortened(each.key()))
                    .toList();
            String shortened = names.shortened(key);
            return notFound("No " + shortened + " at revision " + position
                    + NearestMatch.ignoringCase(shortened, known)
                            .map(near -> "; did you mean " + near + "?")
                            .orElse(""));
        } catch (IOException e) {
            return new MooringException(ExitCode.FAILED, "Failed to read revision " + position, e);
        }
    }

    private static MooringException notFound(String message) {
        return new MooringException(ExitCode.NOT_FOUND, message);
    }

    private void say(String line) {
        out.println(TextColumns.clean(line));
    }
}
