package dev.mooring.runtime.docker;

import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerRuntime.PullProgress;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The image of the container that holds what a Pod's containers share: the one that was configured or, if there is none or it cannot be had, one
 * made on the spot from {@link PauseProgram}. Any thread; two at once make the same image.
 */
public final class PauseImage {
    /** The one made here. Another program needs another number. */
    public static final String LOCAL = "mooring.dev/pause:1";

    private static final Logger LOG = LoggerFactory.getLogger(PauseImage.class);
    private static final String PROGRAM = "pause";

    private PauseImage() {}

    /**
     * One question to the engine if the image is there. To be asked again when the engine says that it is not: somebody may have tidied up.
     *
     * @param configured "" for the one made here
     * @return the reference to use
     */
    public static String ensure(ContainerRuntime runtime, String configured)
            throws EngineException, InterruptedException {
        if (!configured.isEmpty() && isThere(runtime, configured)) {
            return configured;
        }
        if (runtime.image(LOCAL).isEmpty()) {
            make(runtime);
        }
        return LOCAL;
    }

    private static boolean isThere(ContainerRuntime runtime, String reference)
            throws EngineException, InterruptedException {
        try {
            if (runtime.image(reference).isEmpty()) {
                runtime.pull(reference, Optional.empty(), PullProgress.IGNORED);
            }
            return true;
        } catch (EngineException e) {
            if (e.isAbsence()) {
                throw e;
            }
            LOG.warn(
                    "The configured pause image {} cannot be had, using {} instead: {}",
                    reference,
                    LOCAL,
                    e.getMessage());
            return false;
        }
    }

    private static void make(ContainerRuntime runtime) throws EngineException, InterruptedException {
        String architecture =
                runtime instanceof DockerRuntime docker ? docker.architecture() : PauseProgram.X86_64.name();
        PauseProgram program = PauseProgram.of(architecture)
                .orElseThrow(() -> new EngineException(
                        Kind.REFUSED,
                        "there is no pause program for a machine of type " + architecture
                                + ": configure a pause image that has one"));
        byte[] layer = TarLayer.ofProgram(PROGRAM, program.elf());
        runtime.importImage(LOCAL, new ByteArrayInputStream(layer), List.of("/" + PROGRAM));
    }
}
