package dev.mooring.api.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShapeCheckTest {

    @Test
    void check_validObject_isUnchanged() {
        String text =
                "{'kind':'PersistentVolumeClaim','metadata':{'name':'a','labels':{'x':'y'},'generation':3000000000,"
                    + "'creationTimestamp':'2026-01-31T12:00:00Z'},'spec':{'accessModes':['ReadWriteOnce'],"
                    + "'resources':{'requests':{'storage':'1Gi'}},'ports':[{'port':1,'target':'http'},{'target':8080}],"
                    + "'suspended':false,'weight':1.5,'renewed':'2026-01-31T12:00:00.000000Z','key':'aGk=',"
                    + "'any':{'deep':[null,{'x':null}]}}}";
        ObjectNode object = object(text);

        assertThat(ShapeCheck.check(object, SampleTypes.CLAIM).unknownFields()).isEmpty();
        assertThat(object).isEqualTo(object(text));
    }

    @Test
    void check_unknownFields_reportsThemInOrderAndKeepsThem() {
        String text = "{'foo':1,'metadata':{'nam':'a','labels':{'any':'key'}},"
                + "'spec':{'ports':[{'port':1},{'prot':{'deep':1}}],'a\\tb':[]}}";
        ObjectNode object = object(text);

        assertThat(ShapeCheck.check(object, SampleTypes.CLAIM).unknownFields())
                .containsExactly(
                        "unknown field \"foo\"",
                        "unknown field \"metadata.nam\"",
                        "unknown field \"spec.ports[1].prot\"",
                        "unknown field \"spec.a\\tb\"");
        assertThat(object).isEqualTo(object(text));
    }

    @Test
    void check_manyUnknownFields_reportsAtMostHundred() {
        ObjectNode object = object("{}");
        for (int i = 0; i < 1000; i++) {
            object.put("f" + i, i);
        }

        assertThat(ShapeCheck.check(object, SampleTypes.CLAIM).unknownFields()).hasSize(100);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'metadata':null}|{}",
                "{'metadata':{'creationTimestamp':null,'name':'a'}}|{'metadata':{'name':'a'}}",
                "{'unknown':null}|{}",
                "{'metadata':{'labels':{'a':null}}}|{'metadata':{'labels':{'a':''}}}",
                "{'spec':{'accessModes':[null]}}|{'spec':{'accessModes':['']}}",
                "{'spec':{'ports':[null,{'port':null}]}}|{'spec':{'ports':[{},{}]}}",
                "{'spec':{'resources':{'limits':{'cpu':null}}}}|{'spec':{'resources':{'limits':{'cpu':'0'}}}}",
                "{'spec':{'any':{'a':null}}}|{'spec':{'any':{'a':null}}}",
                "{'spec':{'any':null}}|{'spec':{}}",
            })
    void check_nullValue_isRemovedOrDefaulted(String text, String stored) {
        assertThat(checked(text)).isEqualTo(object(stored));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1Gi|1Gi",
                "1024Mi|1Gi",
                "=1|1",
                "=1000000|1M",
                "=1.5|1500m",
                "=0|0",
                "=5368709120|5368709120",
                "=1e3|1k",
            })
    void check_quantity_isNormalizedLikeKubernetes(String written, String stored) {
        String value = written.startsWith("=") ? written.substring(1) : "'" + written + "'";
        ObjectNode object = checked("{'spec':{'resources':{'requests':{'storage':" + value + "}}}}");

        assertThat(object.at("/spec/resources/requests/storage").isTextual()).isTrue();
        assertThat(object.at("/spec/resources/requests/storage").textValue()).isEqualTo(stored);
    }

    @Test
    void check_timesAndBytes_areNormalizedLikeKubernetes() {
        assertThat(checked("{'metadata':{'creationTimestamp':'2026-01-31T12:00:00+01:00'},"
                        + "'spec':{'data':{'a':'aGVs\\nbG8='}}}"))
                .isEqualTo(object("{'metadata':{'creationTimestamp':'2026-01-31T11:00:00Z'},"
                        + "'spec':{'data':{'a':'aGVsbG8='}}}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'metadata':[]}|array|PersistentVolumeClaim.metadata|v1.ObjectMeta",
                "{'metadata':{'name':5}}|number|ObjectMeta.metadata.name|string",
                "{'metadata':{'name':{}}}|object|ObjectMeta.metadata.name|string",
                "{'metadata':{'labels':'x'}}|string|ObjectMeta.metadata.labels|map[string]string",
                "{'metadata':{'labels':{'a':true}}}|bool|ObjectMeta.metadata.labels|string",
                "{'metadata':{'generation':'1'}}|string|ObjectMeta.metadata.generation|int64",
                "{'metadata':{'generation':1.5}}|number 1.5|ObjectMeta.metadata.generation|int64",
                "{'metadata':{'creationTimestamp':5}}|number|ObjectMeta.metadata.creationTimestamp|string",
                "{'spec':{'accessModes':'x'}}|string|PersistentVolumeClaimSpec.spec.accessModes|[]v1.PersistentVolumeAccessMode",
                "{'spec':{'accessModes':[1]}}|number|PersistentVolumeClaimSpec.spec.accessModes|v1.PersistentVolumeAccessMode",
                "{'spec':{'ports':{}}}|object|PersistentVolumeClaimSpec.spec.ports|[]v1.ContainerPort",
                "{'spec':{'ports':['a']}}|string|PersistentVolumeClaimSpec.spec.ports|v1.ContainerPort",
                "{'spec':{'ports':[{},{'port':'80'}]}}|string|ContainerPort.spec.ports.port|int32",
                "{'spec':{'ports':[{'port':3000000000}]}}|number 3000000000|ContainerPort.spec.ports.port|int32",
                "{'spec':{'ports':[{'target':true}]}}|bool|ContainerPort.spec.ports.target|int32",
                "{'spec':{'suspended':'yes'}}|string|PersistentVolumeClaimSpec.spec.suspended|bool",
                "{'spec':{'weight':'1'}}|string|PersistentVolumeClaimSpec.spec.weight|float64",
                "{'spec':{'key':7}}|number|PersistentVolumeClaimSpec.spec.key|[]uint8",
                "{'spec':{'resources':[]}}|array|PersistentVolumeClaimSpec.spec.resources|v1.VolumeResourceRequirements",
                "{'spec':{'resources':{'limits':3}}}|number|VolumeResourceRequirements.spec.resources.limits"
                        + "|v1.ResourceList",
            })
    void check_wrongType_throwsMessageOfGo(String text, String found, String field, String type) {
        assertThatThrownBy(() -> checked(text))
                .isInstanceOf(BodyException.class)
                .hasMessage("json: cannot unmarshal " + found + " into Go struct field " + field + " of type " + type);
    }

    @Test
    void check_severalErrors_reportsInvalidTextBeforeFirstWrongType() {
        assertThatThrownBy(() -> checked("{'metadata':{'name':1},'spec':{'suspended':1}}"))
                .hasMessageContaining("metadata.name");
        assertThatThrownBy(() -> checked("{'metadata':{'name':1},'spec':{'key':'a!'}}"))
                .hasMessage("illegal base64 data at input byte 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"'lots'", "true", "{}", "[]", "''"})
    void check_invalidQuantity_throws(String value) {
        assertThatThrownBy(() -> checked("{'spec':{'resources':{'requests':{'storage':" + value + "}}}}"))
                .isInstanceOf(BodyException.class)
                .hasMessageStartingWith("quantities must match the regular expression");
    }

    @Test
    void check_unknownFieldsAfterNesting_haveCorrectPaths() {
        assertThat(ShapeCheck.check(object("{'spec':{'ports':[{'x':1},{'port':2}],'y':1},'z':2}"), SampleTypes.CLAIM)
                        .unknownFields())
                .containsExactly(
                        "unknown field \"spec.ports[0].x\"", "unknown field \"spec.y\"", "unknown field \"z\"");
    }

    private static ObjectNode checked(String text) {
        ObjectNode object = object(text);
        ShapeCheck.check(object, SampleTypes.CLAIM);
        return object;
    }

    private static ObjectNode object(String text) {
        return (ObjectNode) JsonBody.parse(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8))
                .root();
    }
}
