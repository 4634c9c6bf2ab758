package dev.mooring.runtime.docker;

import dev.mooring.model.Digests;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerRuntime.PullProgress;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.ImageFacts;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sandbox image: the configured one or, if there is none or it is not available, one built locally from
 * {@link PauseProgram}. Any thread; concurrent calls build the same image.
 */
public final class PauseImage {
    /** The locally built image. A changed program needs a new tag. */
    public static final String LOCAL = ContainerRuntime.PAUSE_REPOSITORY + ":1";

    private static final Logger LOG = LoggerFactory.getLogger(PauseImage.class);
    private static final String PROGRAM = "pause";
    private static final List<String> ENTRYPOINT = List.of("/" + PROGRAM);

    private PauseImage() {}

    /**
     * Returns the image, with one engine call if it is present. To be called again when the engine reports it missing,
     * because it may have been pruned.
     *
     * @param configured "" for the locally built one
     * @return the image's ID, because its name may be reassigned
     */
    public static String ensure(ContainerRuntime runtime, String configured)
            throws EngineException, InterruptedException {
        Optional<ImageFacts> chosen = configured.isEmpty() ? Optional.empty() : find(runtime, configured);
        return (chosen.isPresent() ? chosen.get() : own(runtime)).id();
    }

    private static Optional<ImageFacts> find(ContainerRuntime runtime, String reference)
            throws EngineException, InterruptedException {
        try {
            Optional<ImageFacts> there = runtime.image(reference);
            return there.isPresent()
                    ? there
                    : Optional.of(runtime.pull(reference, Optional.empty(), PullProgress.IGNORED));
        } catch (EngineException e) {
            if (e.isUnavailable()) {
                throw e;
            }
            LOG.warn(
                    "Configured pause image {} is not available; using {} instead: {}",
                    reference,
                    LOCAL,
                    e.getMessage());
            return Optional.empty();
        }
    }

    /** Returns the local image if it has the expected content; builds it otherwise. */
    private static ImageFacts own(ContainerRuntime runtime) throws EngineException, InterruptedException {
        byte[] layer = layer(runtime);
        Optional<ImageFacts> there = runtime.image(LOCAL);
        if (there.isPresent()) {
            if (there.get().layers().equals(List.of(digest(layer)))
                    && there.get().entrypoint().equals(ENTRYPOINT)) {
                return there.get();
            }
            LOG.warn(
                    "Image {} ({}) has unexpected content; replacing it",
                    LOCAL,
                    there.get().id());
        }
        return runtime.importImage(LOCAL, new ByteArrayInputStream(layer), ENTRYPOINT);
    }

    private static String digest(byte[] layer) {
        return "sha256:" + Digests.sha256Hex(layer);
    }

    private static byte[] layer(ContainerRuntime runtime) throws EngineException, InterruptedException {
        String architecture =
                runtime instanceof DockerRuntime docker ? docker.architecture() : PauseProgram.X86_64.name();
        PauseProgram program = PauseProgram.of(architecture)
                .orElseThrow(() -> new EngineException(
                        Kind.REFUSED,
                        "there is no built-in pause program for architecture " + architecture
                                + ": configure a pause image"));
        return TarLayer.ofProgram(PROGRAM, program.elf());
    }

    /**
     * A tar archive with one small program, as the layer of an image. Reproducible, so that the image has a stable
     * digest. (Own code: fifty lines instead of a library of half a megabyte.)
     */
    static final class TarLayer {
        private static final int BLOCK = 512;
        private static final int CHECKSUM_AT = 148;
        private static final int CHECKSUM_DIGITS = 6;

        private TarLayer() {}

        /** Returns an archive with a program that root owns and all users can execute. */
        static byte[] ofProgram(String name, byte[] program) {
            int blocks = (program.length + BLOCK - 1) / BLOCK;
            // One block for the header, and two empty ones at the end.
            ByteBuffer out = ByteBuffer.allocate((1 + blocks + 2) * BLOCK);
            out.put(header(name, program.length)).put(program);
            return out.array();
        }

        private static byte[] header(String name, int size) {
            ByteBuffer out = ByteBuffer.allocate(BLOCK);
            field(out, 100, name);
            field(out, 8, octal(0755, 7));
            field(out, 8, octal(0, 7)); //     user
            field(out, 8, octal(0, 7)); //     group
            field(out, 12, octal(size, 11));
            field(out, 12, octal(0, 11)); // modified in 1970
            field(out, 8, "        "); // the checksum is computed with spaces in its place
            field(out, 1, "0"); //             a regular file
            field(out, 100, ""); //            no link
            field(out, 6, "ustar");
            field(out, 2, "00");
            byte[] header = out.array();
            int sum = 0;
            for (byte value : header) {
                sum += value & 0xFF;
            }
            byte[] digits = octal(sum, CHECKSUM_DIGITS).getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(digits, 0, header, CHECKSUM_AT, CHECKSUM_DIGITS);
            header[CHECKSUM_AT + CHECKSUM_DIGITS] = 0;
            return header;
        }

        private static void field(ByteBuffer out, int length, String text) {
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            if (bytes.length > length) {
                throw new IllegalArgumentException("field must have at most " + length + " bytes, got " + text);
            }
            int end = out.position() + length;
            out.put(bytes).position(end);
        }

        private static String octal(long value, int digits) {
            String text = Long.toOctalString(value);
            return "0".repeat(digits - text.length()) + text;
        }
    }
}
