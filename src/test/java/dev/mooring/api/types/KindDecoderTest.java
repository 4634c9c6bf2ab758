package dev.mooring.api.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KindDecoderTest {
    private static final KindDecoder CLAIMS = new KindDecoder("", "v1", SampleTypes.CLAIM);

    @Test
    void decode_jsonAndYaml_giveEqualObjects() {
        KindDecoder.DecodedBody json =
                decode("{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'a'}}");
        KindDecoder.DecodedBody yaml = CLAIMS.decode(
                "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}".getBytes(StandardCharsets.UTF_8),
                KindDecoder.BodyFormat.YAML);

        assertThat(json).isEqualTo(yaml);
        assertThat(json.findings()).isEmpty();
        assertThat(json.strictError()).isEmpty();
    }

    @Test
    void decode_withoutKindAndVersion_setsThem() {
        assertThat(decode("{'kind':''}").object().toString())
                .isEqualTo("{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\"}");
        KindDecoder classes = new KindDecoder("storage.k8s.io", "v1", SampleTypes.CLAIM);
        assertThat(classes.decode("{}".getBytes(StandardCharsets.UTF_8), KindDecoder.BodyFormat.JSON)
                        .object()
                        .get("apiVersion")
                        .textValue())
                .isEqualTo("storage.k8s.io/v1");
    }

    @Test
    void decode_duplicateAndUnknownFields_reportsStrictError() {
        KindDecoder.DecodedBody decoded = decode("{'spec':{'foo':1,'bar':2,'suspended':true,'suspended':false}}");

        assertThat(decoded.findings())
                .containsExactly(
                        "duplicate field \"spec.suspended\"",
                        "unknown field \"spec.foo\"",
                        "unknown field \"spec.bar\"");
        assertThat(decoded.strictError())
                .contains("strict decoding error: duplicate field \"spec.suspended\", unknown field \"spec.foo\","
                        + " unknown field \"spec.bar\"");
        assertThat(CLAIMS.refusal(decoded.strictError().orElseThrow()))
                .startsWith("PersistentVolumeClaim in version \"v1\" cannot be handled as a PersistentVolumeClaim:"
                        + " strict decoding error: duplicate");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'spec':{'resources':{'requests':{'storage':'lots'}}}}"
                        + "|PersistentVolumeClaim in version \"v1\" cannot be handled as a PersistentVolumeClaim: "
                        + "quantities must match the regular expression "
                        + "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
                "{'kind':7}|PersistentVolumeClaim in version \"v1\" cannot be handled as a PersistentVolumeClaim:"
                    + " json: cannot unmarshal number into Go struct field PersistentVolumeClaim.kind of type string",
                "{'kind':'Pod','apiVersion':'v1'}|Pod in version \"v1\" cannot be handled as a PersistentVolumeClaim: "
                        + "converting (v1.Pod) to (core.PersistentVolumeClaim): unknown conversion",
                "{'apiVersion':'apps/v2'}|the API version in the data (apps/v2) does not match the expected API version"
                        + " (v1)",
                "{'a':1|the object provided is unrecognized (must be of type PersistentVolumeClaim): couldn't get"
                        + " version/kind; json parse error: unexpected end of JSON input ({\"a\":1)",
                "~~|the object provided is unrecognized (must be of type PersistentVolumeClaim): couldn't get"
                        + " version/kind; json parse error: unexpected end of JSON input (<empty>)",
                "[1]|the object provided is unrecognized (must be of type PersistentVolumeClaim): body must be an"
                        + " object, got an array (5b315d)",
            })
    void decode_invalidBody_throwsMessageOfKubernetes(String text, String message) {
        String body = text;
        assertThatThrownBy(() -> decode(body)).isInstanceOf(BodyException.class).hasMessage(message);
    }

    @Test
    void decode_longInvalidBody_quotesItsStart() {
        assertThatThrownBy(() -> decode("{'a':'" + "x".repeat(1000)))
                .hasMessageEndingWith("({\"a\":\"" + "x".repeat(24) + " ...)");
    }

    private static KindDecoder.DecodedBody decode(String text) {
        return CLAIMS.decode(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8), KindDecoder.BodyFormat.JSON);
    }
}
