package dev.mooring.api.types;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Any body decodes to an object or throws a {@link ProtobufException}; no other result is possible. */
class ProtobufBodyProperties {

    @Property(tries = 2_000)
    void decode_anyBytes_returnsObjectOrThrowsProtobufException(@ForAll byte[] body) {
        decode(body);
    }

    @Property(tries = 2_000)
    void decode_anyBytesInEnvelope_returnsObjectOrThrowsProtobufException(
            @ForAll("kinds") String kind, @ForAll byte[] raw) {
        decode(WireWriter.envelope(WireWriter.message()
                .message(1, WireWriter.message().text(1, "v1").text(2, kind))
                .bytes(2, raw)));
    }

    @Property(tries = 2_000)
    void decode_truncatedBody_returnsObjectOrThrowsProtobufException(
            @ForAll("captured") byte[] body, @ForAll("fractions") double fraction) {
        decode(Arrays.copyOf(body, (int) (body.length * fraction)));
    }

    @Property(tries = 5_000)
    void decode_mutatedBody_returnsObjectOrThrowsProtobufException(@ForAll("mutated") byte[] body) {
        decode(body);
    }

    @Property(tries = 200)
    void decode_sameBodyTwice_givesEqualObjects(@ForAll("captured") byte[] body) throws ProtobufException {
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
        return Arbitraries.of(CapturedBodies.all());
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
        return Combinators.combine(captured(), changes).as((body, positions) -> {
            byte[] changed = body.clone();
            for (int position : positions) {
                changed[position % changed.length] = (byte) (position >>> 16);
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
