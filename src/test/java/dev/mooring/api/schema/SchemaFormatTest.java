package dev.mooring.api.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.api.schema.Field.PatchStrategy;
import dev.mooring.api.schema.Type.ListKind;
import dev.mooring.api.schema.Type.ListOf;
import dev.mooring.api.schema.Type.MapOf;
import dev.mooring.api.schema.Type.Scalar;
import dev.mooring.api.schema.Type.Struct;
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
    void readsEveryAttribute() {
        Schemas schemas = read("""
            # of this and that
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
                .contains(new Field(
                        "kind",
                        Scalar.STRING,
                        true,
                        "Says \"what\" it is … .",
                        PatchStrategy.DEFAULT,
                        Optional.empty(),
                        Optional.empty()));
        assertThat(thing.field("parts"))
                .contains(new Field(
                        "parts",
                        new ListOf(part, ListKind.MAP, List.of("name", "kind")),
                        false,
                        "Parts.",
                        PatchStrategy.MERGE_AND_RETAIN_KEYS,
                        Optional.of("name"),
                        Optional.empty()));
        assertThat(thing.field("tags"))
                .contains(new Field(
                        "tags",
                        new ListOf(Scalar.STRING, ListKind.SET, List.of()),
                        false,
                        "Tags.",
                        PatchStrategy.MERGE,
                        Optional.empty(),
                        Optional.empty()));
        assertThat(thing.field("rest"))
                .contains(new Field(
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
    void anAtomicTypeCanBeMergedFieldByFieldInOneField() {
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
    void aTypeMayBeDeclaredInALaterFile() {
        Schemas schemas = read("type A 'A.'\n  b [B] 'B.'".replace('\'', '"'), "type B \"B.\"");

        assertThat(schemas.struct("A").field("b").orElseThrow().type())
                .isEqualTo(new ListOf(schemas.struct("B"), ListKind.ATOMIC, List.of()));
    }

    /** Lines are separated by semicolons. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
        type T "T.";  f Nothing "F."                  | a.schema:7: Expected a known type for field f, but none is named Nothing
        type T "T.";  f [Nothing] "F."                | a.schema:7: Expected a known type for field f, but none is named Nothing
        type T "T.";  f P "F."                        | a.schema:7: Expected a known type for field f, but none is named P
        type T "T.";  f [] "F."                       | a.schema:7: Expected a known type for field f, but none is named []
        type T "T.";  f String "F."                   | a.schema:7: Expected a known type for field f, but none is named String
        type T "T.";  f string "F.";  f int32 "F."    | a.schema:8: Expected each field once, but f is there a second time
        type T "T.";  +P;  p string "F."              | a.schema:8: Expected each field once, but p is there a second time
        type T "T.";  f [X] merge=m "F."              | a.schema:7: Expected a field of X as key of f, but it has no m
        type T "T.";  f [X] map=n,m "F."              | a.schema:7: Expected a field of X as key of f, but it has no m
        type T "T.";  f [X] map=l "F."                | a.schema:7: Expected a scalar as key of f, but l is ListOf[element=STRING, kind=ATOMIC, keys=[]]
        type T "T.";  f [string] merge=n "F."         | a.schema:7: Expected a key only for lists of objects, but field f is [string]
        type T "T.";  f [X] merge "F."                | a.schema:7: Expected merge=key for a list of objects, but field f has no key
        type T "T.";  f X merge=n "F."                | a.schema:7: Expected merge only for lists, but field f is X
        type T "T.";  f [X] set "F."                  | a.schema:7: Expected an attribute that fits field f of type [X], but found SET
        type T "T.";  f [X] granular "F."             | a.schema:7: Expected an attribute that fits field f of type [X], but found GRANULAR
        type T "T.";  f string atomic "F."            | a.schema:7: Expected an attribute that fits field f of type string, but found ATOMIC
        type T "T.";  f string optional "F."          | a.schema:7: Expected an attribute of field f, but found optional
        type T "T.";  f string required=yes "F."      | a.schema:7: Expected an attribute of field f, but found required=yes
        type T "T.";  f string                        | a.schema:7: Expected a description in quotation marks at the end of the line of f, but found nothing
        type T "T.";  f string ""                     | a.schema:7: Expected a description in quotation marks at the end of the line of f, but found ""
        type T "T.";  f string "F." x                 | a.schema:7: Expected a description in quotation marks at the end of the line of f, but found "F." x
        type T "T.";  f "F."                          | a.schema:7: Expected the type of the field, but found "F."
        type T "T.";  f                               | a.schema:7: Expected the type of the field, but found the end of the line
        type T "T.";  +Q                              | a.schema:7: Expected the name of a part, but none is named Q
        type T "T.";  +X                              | a.schema:7: Expected the name of a part, but none is named X
        type T "T.";  +P "P."                         | a.schema:7: Expected the end of the line, but found "P."
        type T "T.";  f T "F."                        | a.schema:6: Expected types that end somewhere, but T contains itself: [T]
        type T granular "T."                          | a.schema:6: Expected atomic or a description after T, but found granular
        type T                                        | a.schema:6: Expected a description in quotation marks at the end of the line of T, but found nothing
        type X "X."                                   | a.schema:6: Expected one declaration of X, but a.schema:3 has one too
        type time "T."                                | a.schema:6: Expected a name of its own, but time is a scalar
        struct T "T."                                 | a.schema:6: Expected type or part at the start of the line, but found struct
        """)
    void saysWhereAFileIsBrokenAndHow(String lines, String message) {
        String text = """
            part P "P."
              p string "P."
            type X "X."
              n string "N."
              l [string] "L."
            """ + lines.replace(';', '\n');

        assertThatThrownBy(() -> read(text)).isInstanceOf(BrokenSchema.class).hasMessage(message);
    }

    @Test
    void aFieldNeedsAType() {
        assertThatThrownBy(() -> read("  f string \"F.\""))
                .isInstanceOf(BrokenSchema.class)
                .hasMessage("a.schema:1: Expected a type or part first, but found a field");
    }
}
