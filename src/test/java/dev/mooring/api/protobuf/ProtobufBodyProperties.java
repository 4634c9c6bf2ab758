package dev.mooring.api.protobuf;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever comes in, the answer is an object or a {@link ProtobufException}, never anything else. */
class ProtobufBodyProperties {

    @Property(tries = 2_000)
    void survivesAnything(@ForAll byte[] body) {
        decode(body);
    }

    @Property(tries = 2_000)
    void survivesAnythingInAnEnvelope(@ForAll("kinds") String kind, @ForAll byte[] raw) {
        decode(Wire.envelope(Wire.message()
                .message(1, Wire.message().text(1, "v1").text(2, kind))
                .bytes(2, raw)));
    }

    @Property(tries = 2_000)
    void survivesBodiesThatAreCutOff(@ForAll("captured") byte[] body, @ForAll("fractions") double where) {
        decode(Arrays.copyOf(body, (int) (body.length * where)));
    }

    @Property(tries = 5_000)
    void survivesBodiesWithOtherBytes(@ForAll("mutated") byte[] body) {
        decode(body);
    }

    @Property(tries = 200)
    void readsTheSameTwice(@ForAll("captured") byte[] body) throws ProtobufException {
        assertThat(ProtobufBody.decode(body).toString())
                .isEqualTo(ProtobufBody.decode(body).toString())
                .startsWith("{\"kind\":");
    }

    @Provide
    Arbitrary<String> kinds() {
        return Arbitraries.of(
                "ConfigMap", "Secret", "Pod", "PersistentVolume", "PersistentVolumeClaim", "Node", "Event");
    }

    @Provide
    Arbitrary<byte[]> captured() {
        return Arbitraries.of(Captured.all());
    }

    @Provide
    Arbitrary<Double> fractions() {
        return Arbitraries.doubles().between(0, 1);
    }

    @Provide
    Arbitrary<byte[]> mutated() {
        Arbitrary<int[]> changes = Arbitraries.integers()
                .between(0, Integer.MAX_VALUE)
                .array(int[].class)
                .ofMinSize(1)
                .ofMaxSize(6);
        return Combinators.combine(captured(), changes).as((body, wheres) -> {
            byte[] changed = body.clone();
            for (int where : wheres) {
                changed[where % changed.length] = (byte) (where >>> 16);
            }
            return changed;
        });
    }

    private static void decode(byte[] body) {
        try {
            ObjectNode object = ProtobufBody.decode(body);
            assertThat(object.path("kind").asText()).isNotEmpty();
        } catch (ProtobufException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
    }
}
