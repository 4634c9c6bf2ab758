package dev.mooring.api.schema;

import dev.mooring.api.schema.BrokenSchema.Place;
import dev.mooring.api.schema.Declaration.Attributes;
import dev.mooring.api.schema.Declaration.FieldLine;
import dev.mooring.api.schema.Declaration.Include;
import dev.mooring.api.schema.Declaration.Member;
import dev.mooring.api.schema.Declaration.Merging;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the text of one schema file, line by line:
 *
 * <pre>{@code
 * # a comment
 * part TypeMeta "Fields that several types include."
 *   kind        string                                        "…"
 * type Pod "What kubectl explain shows."
 *   +TypeMeta
 *   containers  [Container] required map=name merge=name      "…"
 * type NodeSelector atomic "Taken as one value by server-side apply."
 * }</pre>
 *
 * <p>A type is the name of a scalar or of a declared type, {@code [T]} a list, {@code {T}} a map with free keys. Attributes:
 * {@code required}; {@code atomic}, {@code granular}, {@code set} or {@code map=key,key} for server-side apply; {@code merge},
 * {@code merge=key} and {@code retainKeys} for strategic merge patches; {@code default=text}. The description goes from the first
 * quotation mark to the last character of the line, which is one too.
 *
 * <p>For one file and one thread. Bytes, and no text put together for messages that nobody needs: this is part of every start, when
 * code still runs slowly.
 */
final class SchemaParser {
    private final String file;
    private final byte[] text;
    private final List<Declaration> declarations = new ArrayList<>();
    private List<Member> members = List.of();
    private int lineNumber;
    /** The rest of the line that is being read. */
    private int at;

    private int end;

    private SchemaParser(String file, byte[] text) {
        this.file = file;
        this.text = text;
    }

    /** @param text in UTF-8; only descriptions may contain more than ASCII */
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
            throw broken("Expected a type or part first, but found a field");
        } else if (text[at] == '+') {
            at++;
            members.add(new Include(here(), word("the name of a part")));
            nothingMore();
        } else {
            members.add(field());
        }
    }

    private void declaration() {
        String keyword = word("type or part");
        if (!keyword.equals("type") && !keyword.equals("part")) {
            throw broken("Expected type or part at the start of the line, but found " + keyword);
        }
        String name = word("a name");
        boolean atomic = false;
        while (at < end && text[at] != '"') {
            String attribute = word("an attribute");
            if (!attribute.equals("atomic")) {
                throw broken("Expected atomic or a description after " + name + ", but found " + attribute);
            }
            atomic = true;
        }
        members = new ArrayList<>();
        declarations.add(new Declaration(here(), name, keyword.equals("part"), atomic, description(name), members));
    }

    private FieldLine field() {
        String name = word("the name of a field");
        String type = word("the type of the field");
        Attributes attributes = attributes(name);
        return new FieldLine(here(), name, type, attributes, description(name));
    }

    private Attributes attributes(String field) {
        boolean required = false;
        boolean merge = false;
        boolean retainKeys = false;
        Optional<Merging> merging = Optional.empty();
        List<String> keys = List.of();
        Optional<String> mergeKey = Optional.empty();
        Optional<String> defaultText = Optional.empty();
        while (at < end && text[at] != '"') {
            String attribute = word("an attribute");
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
                default -> throw broken("Expected an attribute of field " + field + ", but found " + attribute);
            }
        }
        return new Attributes(required, merging, keys, strategy(merge, retainKeys), mergeKey, defaultText);
    }

    private static Field.PatchStrategy strategy(boolean merge, boolean retainKeys) {
        if (merge) {
            return retainKeys ? Field.PatchStrategy.MERGE_AND_RETAIN_KEYS : Field.PatchStrategy.MERGE;
        }
        return retainKeys ? Field.PatchStrategy.RETAIN_KEYS : Field.PatchStrategy.DEFAULT;
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
            throw broken("Expected a description in quotation marks at the end of the line of " + of + ", but found "
                    + (at == end ? "nothing" : rest()));
        }
        return new String(text, at + 1, end - at - 2, StandardCharsets.UTF_8);
    }

    private void nothingMore() {
        if (at < end) {
            throw broken("Expected the end of the line, but found " + rest());
        }
    }

    /** The characters up to the next space or quotation mark; then skips the spaces after it. */
    private String word(String expected) {
        int start = at;
        while (at < end && text[at] != ' ' && text[at] != '"') {
            at++;
        }
        if (start == at) {
            throw broken("Expected " + expected + ", but found " + (at == end ? "the end of the line" : rest()));
        }
        String word = new String(text, start, at - start, StandardCharsets.ISO_8859_1);
        skipSpaces();
        return word;
    }

    private void skipSpaces() {
        while (at < end && text[at] == ' ') {
            at++;
        }
    }

    private String rest() {
        return new String(text, at, end - at, StandardCharsets.UTF_8);
    }

    private Place here() {
        return new Place(file, lineNumber);
    }

    private BrokenSchema broken(String message) {
        return new BrokenSchema(here(), message);
    }
}
