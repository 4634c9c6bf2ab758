package dev.mooring.api.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.api.types.SchemaField.PatchStrategy;
import dev.mooring.api.types.SchemaType.ListKind;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemaFormatTest {
    private static Schemas read(String... texts) {
        List<Declaration> declarations = new ArrayList<>();
        for (int i = 0; i < texts.length; i++) {
            declarations.addAll(
                    SchemaParser.parse((char) ('a' + i) + ".schema", texts[i].getBytes(StandardCharsets.UTF_8)));
        }
        return Schemas.of(declarations);
    }

    @Test
    void parser_readsEveryAttribute() {
        Schemas schemas = read("""
            # a comment
            part Head "Not a type."
              kind   string required "Says "what" it is … ."

            type Thing "A thing."
              +Head
              parts  [Part] map=name,kind merge=name retainKeys "Parts."
              tags   [string] set merge "Tags."
              rest   {{int32}} atomic default=5 "Rest."
              whole  Part granular retainKeys "Whole."
            type Part atomic "A part."
              +Head
              name   string default= "Name."
            """);

        assertThat(schemas.all()).extracting(Struct::name).containsExactly("Thing", "Part");
        Struct thing = schemas.struct("Thing");
        Struct part = schemas.struct("Part");
        assertThat(thing.description()).isEqualTo("A thing.");
        assertThat(thing.atomic()).isFalse();
        assertThat(part.atomic()).isTrue();
        assertThat(thing.field("kind"))
                .contains(new SchemaField(
                        "kind",
                        Scalar.STRING,
                        true,
                        "Says \"what\" it is … .",
                        PatchStrategy.DEFAULT,
                        Optional.empty(),
                        Optional.empty()));
        assertThat(thing.field("parts"))
                .contains(new SchemaField(
                        "parts",
                        new ListOf(part, ListKind.MAP, List.of("name", "kind")),
                        false,
                        "Parts.",
                        PatchStrategy.MERGE_AND_RETAIN_KEYS,
                        Optional.of("name"),
                        Optional.empty()));
        assertThat(thing.field("tags"))
                .contains(new SchemaField(
                        "tags",
                        new ListOf(Scalar.STRING, ListKind.SET, List.of()),
                        false,
                        "Tags.",
                        PatchStrategy.MERGE,
                        Optional.empty(),
                        Optional.empty()));
        assertThat(thing.field("rest"))
                .contains(new SchemaField(
                        "rest",
                        new MapOf(new MapOf(Scalar.INT32, false), true),
                        false,
                        "Rest.",
                        PatchStrategy.DEFAULT,
                        Optional.empty(),
                        Optional.of("5")));
        assertThat(part.field("name").orElseThrow().defaultText()).contains("");
        assertThat(thing.field("whole").orElseThrow().patch()).isEqualTo(PatchStrategy.RETAIN_KEYS);
    }

    @Test
    void resolver_granularFieldOfAtomicType_mergesFieldByField() {
        Schemas schemas = read("""
            type Thing "A thing."
              claim  Ref granular "Merged."
              other  Ref          "Not merged."
            type Ref atomic "A reference."
              name   string "Name."
            """);

        Struct claim =
                (Struct) schemas.struct("Thing").field("claim").orElseThrow().type();
        assertThat(claim.atomic()).isFalse();
        assertThat(claim.name()).isEqualTo("Ref");
        assertThat(claim.fields())
                .containsExactlyElementsOf(schemas.struct("Ref").fields());
        assertThat(schemas.struct("Thing").field("other").orElseThrow().type()).isSameAs(schemas.struct("Ref"));
        assertThat(schemas.struct("Ref").atomic()).isTrue();
    }

    @Test
    void resolver_typeDeclaredInLaterFile_isResolved() {
        Schemas schemas = read("type A 'A.'\n  b [B] 'B.'".replace('\'', '"'), "type B \"B.\"");

        assertThat(schemas.struct("A").field("b").orElseThrow().type())
                .isEqualTo(new ListOf(schemas.struct("B"), ListKind.ATOMIC, List.of()));
    }

    /** Lines are separated by semicolons. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
        type T "T.";  f Nothing "F."                  | a.schema:7: unknown type Nothing of field f
        type T "T.";  f [Nothing] "F."                | a.schema:7: unknown type Nothing of field f
        type T "T.";  f P "F."                        | a.schema:7: unknown type P of field f
        type T "T.";  f [] "F."                       | a.schema:7: unknown type [] of field f
        type T "T.";  f String "F."                   | a.schema:7: unknown type String of field f
        type T "T.";  f string "F.";  f int32 "F."    | a.schema:8: duplicate field f
        type T "T.";  +P;  p string "F."              | a.schema:8: duplicate field p
        type T "T.";  f [X] merge=m "F."              | a.schema:7: key m of field f is not a field of X
        type T "T.";  f [X] map=n,m "F."              | a.schema:7: key m of field f is not a field of X
        type T "T.";  f [X] map=l "F."                | a.schema:7: key l of field f must be a scalar, got ListOf[element=STRING, kind=ATOMIC, keys=[]]
        type T "T.";  f [string] merge=n "F."         | a.schema:7: a key applies to lists of objects only, field f is [string]
        type T "T.";  f [X] merge "F."                | a.schema:7: list of objects needs merge=key, field f has no key
        type T "T.";  f X merge=n "F."                | a.schema:7: merge applies to lists only, field f is X
        type T "T.";  f [X] set "F."                  | a.schema:7: attribute SET does not apply to field f of type [X]
        type T "T.";  f [X] granular "F."             | a.schema:7: attribute GRANULAR does not apply to field f of type [X]
        type T "T.";  f string atomic "F."            | a.schema:7: attribute ATOMIC does not apply to field f of type string
        type T "T.";  f string optional "F."          | a.schema:7: unknown attribute of field f: optional
        type T "T.";  f string required=yes "F."      | a.schema:7: unknown attribute of field f: required=yes
        type T "T.";  f string                        | a.schema:7: line of f must end with a description in quotation marks, got nothing
        type T "T.";  f string ""                     | a.schema:7: line of f must end with a description in quotation marks, got ""
        type T "T.";  f string "F." x                 | a.schema:7: line of f must end with a description in quotation marks, got "F." x
        type T "T.";  f "F."                          | a.schema:7: missing the type of the field, got "F."
        type T "T.";  f                               | a.schema:7: missing the type of the field, got the end of the line
        type T "T.";  +Q                              | a.schema:7: unknown part Q
        type T "T.";  +X                              | a.schema:7: unknown part X
        type T "T.";  +P "P."                         | a.schema:7: unexpected text at the end of the line: "P."
        type T "T.";  f T "F."                        | a.schema:6: T contains itself: [T]
        type T granular "T."                          | a.schema:6: unknown attribute of T: granular
        type T                                        | a.schema:6: line of T must end with a description in quotation marks, got nothing
        type X "X."                                   | a.schema:6: duplicate declaration of X, first declared at a.schema:3
        type time "T."                                | a.schema:6: time is the name of a scalar; choose another name
        struct T "T."                                 | a.schema:6: line must start with type or part, got struct
        """)
    void schemas_invalidDeclaration_throwsWithLocationAndReason(String lines, String message) {
        String text = """
            part P "P."
              p string "P."
            type X "X."
              n string "N."
              l [string] "L."
            """ + lines.replace(';', '\n');

        assertThatThrownBy(() -> read(text)).isInstanceOf(SchemaException.class).hasMessage(message);
    }

    @Test
    void parser_fieldBeforeAnyType_throws() {
        assertThatThrownBy(() -> read("  f string \"F.\""))
                .isInstanceOf(SchemaException.class)
                .hasMessage("a.schema:1: field before the first type or part");
    }
}
