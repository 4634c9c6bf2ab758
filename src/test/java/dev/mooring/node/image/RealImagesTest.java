package dev.mooring.node.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.runtime.docker.DockerRuntime;
import dev.mooring.runtime.docker.DockerSettings;
import dev.mooring.testing.RealEngine;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** With a real engine, which no registry can be reached from. */
final class RealImagesTest {
    private final ImageBench bench = new ImageBench();
    private DockerRuntime runtime;
    private Images images;

    @BeforeEach
    void connect() {
        String host = RealEngine.shared().host();
        runtime = DockerRuntime.connect(new DockerSettings(host, Optional.empty(), Duration.ofSeconds(60)));
        images = bench.images(runtime, ImageLimits.DEFAULT);
    }

    @AfterEach
    void disconnect() {
        if (runtime != null) {
            runtime.close();
        }
    }

    @Test
    void anImageOfARegistryThatIsNotThereCannotBePulled() {
        String image = "registry.invalid/nope:1";
        bench.ask(images, "p", ImageBench.container("c", image, "IfNotPresent"));
        bench.settle();
        String words = ImageBench.words(bench.ask(images, "p", ImageBench.container("c", image, "IfNotPresent")));
        assertThat(words).startsWith("ErrImagePull: ").contains("registry.invalid");
        assertThat(bench.told())
                .anyMatch(each -> each.startsWith("Warning Failed Failed to pull image \"registry.invalid/nope:1\": "));
    }

    @Test
    void anImageThatTheEngineHasIsThere() {
        bench.ask(images, "p", ImageBench.container("c", "busybox", "IfNotPresent"));
        bench.settle();
        assertThat(ImageBench.words(bench.ask(images, "p", ImageBench.container("c", "busybox", "IfNotPresent"))))
                .startsWith("Present sha256:");
    }
}
