package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.runtime.docker.DockerRuntime;
import dev.mooring.runtime.docker.DockerSettings;
import dev.mooring.testing.RealEngine;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the image manager with a real engine that can reach no registry. */
final class RealImageManagerTest {
    private final ImageManagerFixture fixture = new ImageManagerFixture();
    private DockerRuntime runtime;
    private ImageManager images;

    @BeforeEach
    void connect() {
        String host = RealEngine.shared().host();
        runtime = DockerRuntime.connect(new DockerSettings(host, Optional.empty(), Duration.ofSeconds(60)));
        images = fixture.images(runtime, ImageManager.ImageLimits.DEFAULT);
    }

    @AfterEach
    void disconnect() {
        if (runtime != null) {
            runtime.close();
        }
    }

    @Test
    void image_unreachableRegistry_failsWithErrImagePull() {
        String image = "registry.invalid/nope:1";
        fixture.request(images, "p", ImageManagerFixture.container("c", image, "IfNotPresent"));
        fixture.settle();
        String state = ImageManagerFixture.describe(
                fixture.request(images, "p", ImageManagerFixture.container("c", image, "IfNotPresent")));
        assertThat(state).startsWith("ErrImagePull: ").contains("registry.invalid");
        assertThat(fixture.recordedEvents())
                .anyMatch(each -> each.startsWith("Warning Failed Failed to pull image \"registry.invalid/nope:1\": "));
    }

    @Test
    void image_inEngine_isPresent() {
        fixture.request(images, "p", ImageManagerFixture.container("c", "busybox", "IfNotPresent"));
        fixture.settle();
        assertThat(ImageManagerFixture.describe(
                        fixture.request(images, "p", ImageManagerFixture.container("c", "busybox", "IfNotPresent"))))
                .startsWith("Present sha256:");
    }
}
