package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.runtime.ContainerRuntime.PullProgress;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.ImageFacts;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of images on a real engine. They need no registry: an unreachable registry is part of the tests. */
class DockerImagesTest {
    private static final String MADE = "mooring.test/made:7";

    private final DockerFixture docker = new DockerFixture();
    private final DockerRuntime runtime = docker.runtime;

    @AfterEach
    void cleanUp() throws Exception {
        docker.close();
    }

    @Test
    void image_byNameOrId_returnsItsFacts() throws Exception {
        ImageFacts busybox = runtime.image("busybox:latest").orElseThrow();

        assertThat(busybox.id()).startsWith("sha256:");
        assertThat(busybox.bytes()).isPositive();
        assertThat(busybox.user()).isEmpty();
        assertThat(runtime.image("busybox")).contains(busybox);
        assertThat(runtime.image(busybox.id())).contains(busybox);
        assertThat(runtime.image("mooring.test/nothing:1")).isEmpty();
    }

    @Test
    void importImage_layer_makesARunnableImage() throws Exception {
        byte[] elf = PauseProgram.of(runtime.architecture()).orElseThrow().elf();
        try {
            ImageFacts made = runtime.importImage(
                    MADE, new ByteArrayInputStream(PauseImage.TarLayer.ofProgram("nothing", elf)), List.of("/nothing"));

            assertThat(runtime.image(MADE)).contains(made);
            String id = docker.running(docker.spec("made").image(MADE).command());
            assertThat(docker.facts(id).isLive()).isTrue();
            runtime.remove(id);
        } finally {
            docker.raw(DockerRequest.delete(DockerRequest.image(MADE) + "?force=1"));
        }
    }

    @Test
    void importImage_invalidLayer_keepsTheEngineMessage() {
        EngineException failure = catchThrowableOfType(
                EngineException.class,
                () -> runtime.importImage(MADE, new ByteArrayInputStream(new byte[] {1, 2, 3}), List.of()));

        assertThat(failure.getMessage()).isNotEmpty().doesNotContain("\n", "{");
    }

    @Test
    void pull_registryUnreachable_keepsTheEngineMessage() {
        EngineException failure = catchThrowableOfType(
                EngineException.class,
                () -> runtime.pull("127.0.0.1:9/nothing:1", Optional.empty(), PullProgress.IGNORED));

        assertThat(failure.isUnavailable()).isFalse();
        assertThat(failure.getMessage()).contains("127.0.0.1:9").doesNotContain("\n", "{\"");
        EngineException bad = catchThrowableOfType(
                EngineException.class, () -> runtime.pull("Bad Name", Optional.empty(), PullProgress.IGNORED));
        assertThat(bad.kind()).isEqualTo(Kind.REFUSED);
    }

    @Test
    void pauseImage_configuredImageUnavailable_usesTheBuiltInOne() throws Exception {
        String own = PauseImage.ensure(runtime, "");

        assertThat(runtime.image(PauseImage.LOCAL)).map(ImageFacts::id).contains(own);
        assertThat(PauseImage.ensure(runtime, "")).isEqualTo(own);
        assertThat(PauseImage.ensure(runtime, "127.0.0.1:9/pause:1")).isEqualTo(own);
        assertThat(runtime.image("busybox:latest"))
                .map(ImageFacts::id)
                .contains(PauseImage.ensure(runtime, "busybox:latest"));
    }

    @ParameterizedTest
    @CsvSource({"pause, /bin/sh", "other, /pause"})
    void pauseImage_otherContentUnderItsName_isReplaced(String program, String entrypoint) throws Exception {
        byte[] elf = PauseProgram.of(runtime.architecture()).orElseThrow().elf();
        ImageFacts foreign = runtime.importImage(
                PauseImage.LOCAL,
                new ByteArrayInputStream(PauseImage.TarLayer.ofProgram(program, elf)),
                List.of(entrypoint));

        String used = PauseImage.ensure(runtime, "");

        assertThat(used).startsWith("sha256:").isNotEqualTo(foreign.id());
        assertThat(runtime.image(PauseImage.LOCAL)).map(ImageFacts::id).contains(used);
        assertThat(runtime.image(used)).map(ImageFacts::entrypoint).contains(List.of("/pause"));
        assertThat(PauseImage.ensure(runtime, "")).isEqualTo(used);
        docker.raw(DockerRequest.delete(DockerRequest.image(foreign.id()) + "?force=1"));
    }

    @ParameterizedTest
    @CsvSource({
        "busybox, busybox, latest",
        "busybox:1.36, busybox, 1.36",
        "host:5000/a/b, host:5000/a/b, latest",
        "host:5000/a/b:c, host:5000/a/b, c",
        "a@sha256:0f, a, sha256:0f",
        "host:5000/a:tag@sha256:0f, host:5000/a, sha256:0f",
    })
    void imageReference_isSplitIntoRepositoryAndTag(String reference, String repository, String tag) {
        assertThat(DockerImages.ImageReference.parse(reference))
                .isEqualTo(new DockerImages.ImageReference(repository, tag));
    }

    @Test
    void pullProgress_severalLayers_areSummedUp() throws Exception {
        List<String> seen = new ArrayList<>();
        DockerImages.PullProgressTracker tracker =
                new DockerImages.PullProgressTracker((done, total) -> seen.add(done + "/" + total));
        ObjectMapper json = new ObjectMapper();
        for (String line : List.of(
                "{'status':'Pulling from library/x','id':'latest'}",
                "{'status':'Downloading','id':'a','progressDetail':{'current':10,'total':100}}",
                "{'status':'Downloading','id':'b','progressDetail':{'current':5,'total':50}}",
                "{'status':'Download complete','id':'a'}",
                "{'status':'Extracting','id':'a','progressDetail':{'current':1,'total':9000}}",
                "{'status':'Pull complete','id':'b'}")) {
            tracker.update(json.readTree(line.replace('\'', '"')));
        }

        assertThat(seen).containsExactly("10/100", "15/150", "105/150", "150/150");
    }
}
