package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.EngineException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class FrameDecoderTest {
    private static final String STAMP = "2026-11-16T14:27:50.894377148Z ";

    private final List<String> received = new ArrayList<>();

    private void decode(FrameDecoder frames, byte[] bytes, int pieceSize) throws Exception {
        for (int at = 0; at < bytes.length; at += pieceSize) {
            byte[] piece = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + pieceSize));
            frames.decode(
                    piece,
                    piece.length,
                    (channel, out) -> received.add(
                            (channel == Channel.STDOUT ? "o:" : "e:") + new String(out, StandardCharsets.UTF_8)));
        }
    }

    private String joined(String mark) {
        StringBuilder joined = new StringBuilder();
        received.stream().filter(each -> each.startsWith(mark)).forEach(each -> joined.append(each.substring(2)));
        return joined.toString();
    }

    private static byte[] frames(String... typesAndTexts) throws IOException {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        for (String each : typesAndTexts) {
            byte[] text = each.substring(1).getBytes(StandardCharsets.UTF_8);
            all.write(new byte[] {(byte) (each.charAt(0) - '0'), 0, 0, 0});
            all.write(new byte[] {0, 0, (byte) (text.length >> 8), (byte) text.length});
            all.write(text);
        }
        return all.toByteArray();
    }

    @Test
    void decode_adjacentFramesOfAChannel_areJoinedInOrder() throws Exception {
        decode(FrameDecoder.plain(), frames("1one\n", "1two\n", "2three\n", "1", "1four\n"), 1000);

        assertThat(received).containsExactly("o:one\ntwo\n", "e:three\n", "o:four\n");
    }

    @Test
    void decode_framesSplitAnywhere_areRead() throws Exception {
        byte[] bytes = frames("1" + STAMP + "long ", "2" + STAMP + "e\n", "1" + STAMP + "line\n", "1" + STAMP + "x\n");
        for (int size = 1; size <= bytes.length; size++) {
            received.clear();
            FrameDecoder frames = new FrameDecoder(FrameDecoder.Timestamps.KEPT);

            decode(frames, bytes, size);

            frames.end();
            assertThat(joined("o:")).as("pieces of %d", size).isEqualTo(STAMP + "long line\n" + STAMP + "x\n");
            assertThat(joined("e:")).as("pieces of %d", size).isEqualTo(STAMP + "e\n");
        }
    }

    @Test
    void decode_plainFrames_areNotStrippedOfTimestamps() throws Exception {
        decode(FrameDecoder.plain(), frames("1half a", "1 line\n"), 1000);

        assertThat(received).containsExactly("o:half a line\n");
    }

    @Test
    void decode_invalidHeader_throwsProtocolException() {
        assertThatThrownBy(() -> decode(FrameDecoder.plain(), "HTTP/1.1 500".getBytes(StandardCharsets.UTF_8), 1000))
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void end_incompleteFrame_throwsEofException() throws Exception {
        byte[] bytes = frames("1whole", "1half");
        for (int missing : new int[] {1, 4, 5, 11}) {
            FrameDecoder frames = FrameDecoder.plain();
            decode(frames, Arrays.copyOf(bytes, bytes.length - missing), 1000);

            assertThatThrownBy(frames::end).as("without %d bytes", missing).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void decode_errorFrame_throwsTheEngineMessage() {
        assertThatThrownBy(() -> decode(FrameDecoder.plain(), frames("1one", "3Error grabbing logs: oh\n"), 1000))
                .isInstanceOf(EngineException.class)
                .hasMessage("Error grabbing logs: oh");
        assertThat(received).containsExactly("o:one");
    }
}
