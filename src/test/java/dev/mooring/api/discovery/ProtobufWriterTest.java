package dev.mooring.api.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ProtobufWriterTest {

    @Test
    void writer_stringsBooleansAndMessages_areEncoded() {
        byte[] message = ProtobufWriter.message(out -> {
            out.string(1, "é");
            out.bool(2, true);
            out.nested(3, inner -> inner.string(16, ""));
        });

        assertThat(HexFormat.of().formatHex(message)).isEqualTo("0a02c3a9" + "1001" + "1a03" + "820100");
    }

    @Test
    void writer_longString_hasMultiByteLength() {
        byte[] message = ProtobufWriter.message(out -> out.string(1, "x".repeat(300)));

        assertThat(message).hasSize(303).startsWith(0x0a, 0xac, 0x02, 'x');
    }
}
