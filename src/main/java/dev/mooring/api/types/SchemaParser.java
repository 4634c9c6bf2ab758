package dev.mooring.api.types;

import dev.mooring.api.types.Declaration.FieldAttributes;
import dev.mooring.api.types.Declaration.FieldLine;
import dev.mooring.api.types.Declaration.Include;
import dev.mooring.api.types.Declaration.Member;
import dev.mooring.api.types.Declaration.Merging;
import dev.mooring.api.types.SchemaException.SourceLocation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Parses one schema file, line by line:
 *
 * <pre>{@code
 * # a comment
 * part TypeMeta "Fields that several types include."
 *   kind        string                                        "…"
 * type Pod "The description that kubectl explain shows."
 *   +TypeMeta
 *   containers  [Container] required map=name merge=name      "…"
 * type NodeSelector atomic "One value for server-side apply."
 * }</pre>
 *
 * <p>A type is the name of a scalar or of a declared type, {@code [T]} a list, {@code {T}} a map with free keys. Attributes:
 * {@code required}; {@code atomic}, {@code granular}, {@code set} or {@code map=key,key} for server-side apply; {@code merge},
 * {@code merge=key} and {@code retainKeys} for strategic merge patches; {@code default=text}. The description goes from the first
 * quotation mark to the last character of the line, which is a quotation mark as well.
 *
 * <p>Used for one file; not thread-safe. Works on bytes and builds no messages unless there is an error, because it runs at every start,
 * before the JIT has compiled it.
 */
final class SchemaParser {
    private final String file;
    private final byte[] text;
    private final List<Declaration> declarations = new ArrayList<>();
    private List<Member> members = List.of();
    private int lineNumber;
    /** Position in the current line. */
    private int at;

    private int end;

    private SchemaParser(String file, byte[] text) {
        this.file = file;
        this.text = text;
    }

    /** @param text in UTF-8; only descriptions may contain non-ASCII characters */
    static List<Declaration> parse(String file, byte[] text) {
        SchemaParser parser = new SchemaParser(file, text);
        parser.lines();
        return parser.declarations;
    }

    private void lines() {
        for (int start = 0; start < text.length; start = end + 1) {
            end = start;
            while (end < text.length && text[end] != '\n') {
                end++;
            }
            at = start;
            lineNumber++;
            line();
        }
    }

    private void line() {
        boolean indented = at < end && text[at] == ' ';
        skipSpaces();
        if (at == end || text[at] == '#') {
            return;
        }
        if (!indented) {
            declaration();
        } else if (declarations.isEmpty()) {
            throw broken("field before the first type or part");
        } else if (text[at] == '+') {
            at++;
            members.add(new Include(here(), nextToken("the name of a part")));
            requireEndOfLine();
        } else {
            members.add(field());
        }
    }

    private void declaration() {
        String keyword = nextToken("type or part");
        if (!keyword.equals("type") && !keyword.equals("part")) {
            throw broken("line must start with type or part, got " + keyword);
        }
        String name = nextToken("a name");
        boolean atomic = false;
        while (at < end && text[at] != '"') {
            String attribute = nextToken("an attribute");
            if (!attribute.equals("atomic")) {
                throw broken("unknown attribute of " + name + ": " + attribute);
            }
            atomic = true;
        }
        members = new ArrayList<>();
        declarations.add(new Declaration(here(), name, keyword.equals("part"), atomic, description(name), members));
    }

    private FieldLine field() {
        String name = nextToken("the name of a field");
        String type = nextToken("the type of the field");
        FieldAttributes attributes = attributes(name);
        return new FieldLine(here(), name, type, attributes, description(name));
    }

    private FieldAttributes attributes(String field) {
        boolean required = false;
        boolean merge = false;
        boolean retainKeys = false;
        Optional<Merging> merging = Optional.empty();
        List<String> keys = List.of();
        Optional<String> mergeKey = Optional.empty();
        Optional<String> defaultText = Optional.empty();
        while (at < end && text[at] != '"') {
            String attribute = nextToken("an attribute");
            int equals = attribute.indexOf('=');
            String value = attribute.substring(equals + 1);
            switch (equals < 0 ? attribute : attribute.substring(0, equals + 1)) {
                case "required" -> required = true;
                case "atomic" -> merging = Optional.of(Merging.ATOMIC);
                case "granular" -> merging = Optional.of(Merging.GRANULAR);
                case "set" -> merging = Optional.of(Merging.SET);
                case "map=" -> {
                    merging = Optional.of(Merging.MAP);
                    keys = commaSeparated(value);
                }
                case "merge" -> merge = true;
                case "merge=" -> {
                    merge = true;
                    mergeKey = Optional.of(value);
                }
                case "retainKeys" -> retainKeys = true;
                case "default=" -> defaultText = Optional.of(value);
                default -> throw broken("unknown attribute of field " + field + ": " + attribute);
            }
        }
        return new FieldAttributes(required, merging, keys, strategy(merge, retainKeys), mergeKey, defaultText);
    }

    private static SchemaField.PatchStrategy strategy(boolean merge, boolean retainKeys) {
        if (merge) {
            return retainKeys ? SchemaField.PatchStrategy.MERGE_AND_RETAIN_KEYS : SchemaField.PatchStrategy.MERGE;
        }
        return retainKeys ? SchemaField.PatchStrategy.RETAIN_KEYS : SchemaField.PatchStrategy.DEFAULT;
    }

    private static List<String> commaSeparated(String value) {
        List<String> parts = new ArrayList<>(2);
        int start = 0;
        for (int comma = value.indexOf(','); comma >= 0; comma = value.indexOf(',', start)) {
            parts.add(value.substring(start, comma));
            start = comma + 1;
        }
        parts.add(value.substring(start));
        return List.copyOf(parts);
    }

    private String description(String of) {
        if (end - at < 3 || text[at] != '"' || text[end - 1] != '"') {
            throw broken("line of " + of + " must end with a description in quotation marks, got "
                    + (at == end ? "nothing" : rest()));
        }
        return new String(text, at + 1, end - at - 2, StandardCharsets.UTF_8);
    }

    private void requireEndOfLine() {
        if (at < end) {
            throw broken("unexpected text at the end of the line: " + rest());
        }
    }

    /** Returns the characters up to the next space or quotation mark, and skips the spaces after them. */
    private String nextToken(String expected) {
        int start = at;
        while (at < end && text[at] != ' ' && text[at] != '"') {
            at++;
        }
        if (start == at) {
            throw broken("missing " + expected + ", got " + (at == end ? "the end of the line" : rest()));
        }
        String token = new String(text, start, at - start, StandardCharsets.ISO_8859_1);
        skipSpaces();
        return token;
    }

    private void skipSpaces() {
        while (at < end && text[at] == ' ') {
            at++;
        }
    }

    private String rest() {
        return new String(text, at, end - at, StandardCharsets.UTF_8);
    }

    private SourceLocation here() {
        return new SourceLocation(file, lineNumber);
    }

    private SchemaException broken(String message) {
        return new SchemaException(here(), message);
    }
}
