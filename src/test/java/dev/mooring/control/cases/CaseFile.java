package dev.mooring.control.cases;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads the case tables; {@code README.txt} in their directory describes the format. */
public final class CaseFile {
    private static final Path DIRECTORY = Path.of("src/test/resources/cases");
    private static final List<String> NAMES =
            List.of("binding.txt", "classes.txt", "reclaiming.txt", "matching.txt", "protection.txt");

    private final List<CaseRow> rows = new ArrayList<>();
    private final List<String> omitted = new ArrayList<>();
    private final Map<String, List<CaseLine>> sets = new HashMap<>();
    private Builder current;
    private Optional<List<CaseLine>> set = Optional.empty();

    private CaseFile() {}

    /** Returns all cases of all tables. */
    public static List<CaseRow> rows() {
        List<CaseRow> rows = new ArrayList<>();
        for (CaseFile file : files()) {
            rows.addAll(file.rows);
        }
        return rows;
    }

    /** Returns the ids of omitted cases; the tables give a reason for each. */
    static List<String> omitted() {
        List<String> ids = new ArrayList<>();
        for (CaseFile file : files()) {
            ids.addAll(file.omitted);
        }
        return ids;
    }

    private static List<CaseFile> files() {
        List<CaseFile> files = new ArrayList<>();
        for (String name : NAMES) {
            CaseFile file = new CaseFile();
            try {
                Files.readAllLines(DIRECTORY.resolve(name)).forEach(line -> file.read(line.strip(), name));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            file.finish();
            files.add(file);
        }
        return files;
    }

    private void read(String line, String file) {
        if (line.isEmpty() || line.startsWith("#")) {
            return;
        }
        int space = line.indexOf(' ');
        String verb = space < 0 ? line : line.substring(0, space);
        String rest = space < 0 ? "" : line.substring(space + 1).strip();
        switch (verb) {
            case "case" -> {
                finish();
                int title = rest.indexOf(' ');
                current = new Builder(rest.substring(0, title), rest.substring(title + 1));
            }
            case "set" -> {
                finish();
                set = Optional.of(sets.computeIfAbsent(rest, name -> new ArrayList<>()));
            }
            case "end" -> set = Optional.empty();
            case "out" -> {
                if (rest.indexOf(' ') < 0) {
                    throw new IllegalArgumentException("Omitted case without a reason in " + file + ": " + line);
                }
                omitted.add(rest.substring(0, rest.indexOf(' ')));
            }
            default ->
                set.ifPresentOrElse(
                        lines -> lines.add(CaseLine.parse(line)), () -> current.add(verb, rest, line, sets));
        }
    }

    private void finish() {
        if (current != null) {
            rows.add(current.build());
            current = null;
        }
    }

    /** A case that is being read. */
    private static final class Builder {
        private final String id;
        private final String title;
        private final List<CaseLine> before = new ArrayList<>();
        private final List<CaseLine> later = new ArrayList<>();
        private final List<CaseLine> created = new ArrayList<>();
        private final List<String> work = new ArrayList<>();
        private final Set<String> events = new HashSet<>();
        private Optional<String> functionOnly = Optional.empty();

        private Builder(String id, String title) {
            this.id = id;
            this.title = title;
        }

        private void add(String verb, String rest, String line, Map<String, List<CaseLine>> sets) {
            switch (verb) {
                case "with" -> before.addAll(sets.get(rest));
                case "later" -> later.add(CaseLine.parse(rest));
                case "new" -> created.add(CaseLine.parse(rest));
                case "work" -> work.add(rest);
                case "told" -> events.add(rest);
                case "function" -> functionOnly = Optional.of(rest);
                case "note" -> {
                    // a comment for readers
                }
                default -> {
                    CaseLine object = CaseLine.parse(line);
                    if (object.kind().isEmpty()) {
                        throw new IllegalArgumentException("Line of case " + id + " is not an object: " + line);
                    }
                    before.add(object);
                }
            }
        }

        private CaseRow build() {
            return new CaseRow(id, title, before, later, created, work, events, functionOnly);
        }
    }
}
