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

/** Images of a real engine. No registry is needed: that one cannot be reached is part of the test. */
class DockerImagesTest {
    private static final String MADE = "mooring.test/made:7";

    private final Quay quay = new Quay();
    private final DockerRuntime runtime = quay.runtime;

    @AfterEach
    void cleanUp() throws Exception {
        quay.close();
    }

    @Test
    void tellsOfAnImage() throws Exception {
        ImageFacts busybox = runtime.image("busybox:latest").orElseThrow();

        assertThat(busybox.id()).startsWith("sha256:");
        assertThat(busybox.bytes()).isPositive();
        assertThat(busybox.user()).isEmpty();
        assertThat(runtime.image("busybox")).contains(busybox);
        assertThat(runtime.image(busybox.id())).contains(busybox);
        assertThat(runtime.image("mooring.test/nothing:1")).isEmpty();
    }

    @Test
    void makesAnImageOfALayer() throws Exception {
        byte[] elf = PauseProgram.of(runtime.architecture()).orElseThrow().elf();
        try {
            ImageFacts made = runtime.importImage(
                    MADE, new ByteArrayInputStream(TarLayer.ofProgram("nothing", elf)), List.of("/nothing"));

            assertThat(runtime.image(MADE)).contains(made);
            String id = quay.running(quay.spec("made").image(MADE).command());
            assertThat(quay.facts(id).isLive()).isTrue();
            runtime.remove(id);
        } finally {
            quay.raw(Call.delete(Call.image(MADE) + "?force=1"));
        }
    }

    @Test
    void aBrokenLayerIsToldInTheEnginesWords() {
        EngineException failure = catchThrowableOfType(
                EngineException.class,
                () -> runtime.importImage(MADE, new ByteArrayInputStream(new byte[] {1, 2, 3}), List.of()));

        assertThat(failure.getMessage()).isNotEmpty().doesNotContain("\n", "{");
    }

    @Test
    void aRegistryThatCannotBeReachedIsToldInTheEnginesWords() {
        EngineException failure = catchThrowableOfType(
                EngineException.class,
                () -> runtime.pull("127.0.0.1:9/nothing:1", Optional.empty(), PullProgress.IGNORED));

        assertThat(failure.isAbsence()).isFalse();
        assertThat(failure.getMessage()).contains("127.0.0.1:9").doesNotContain("\n", "{\"");
        EngineException bad = catchThrowableOfType(
                EngineException.class, () -> runtime.pull("Bad Name", Optional.empty(), PullProgress.IGNORED));
        assertThat(bad.kind()).isEqualTo(Kind.REFUSED);
    }

    @Test
    void thePauseImageIsTheConfiguredOneIfItCanBeHad() throws Exception {
        assertThat(PauseImage.ensure(runtime, "busybox:latest")).isEqualTo("busybox:latest");
        assertThat(PauseImage.ensure(runtime, "127.0.0.1:9/pause:1")).isEqualTo(PauseImage.LOCAL);
        assertThat(PauseImage.ensure(runtime, "")).isEqualTo(PauseImage.LOCAL);
        assertThat(runtime.image(PauseImage.LOCAL)).isPresent();
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
    void splitsAReference(String reference, String repository, String tag) {
        assertThat(ImageReference.parse(reference)).isEqualTo(new ImageReference(repository, tag));
    }

    @Test
    void sumsUpThePartsOfAPull() throws Exception {
        List<String> seen = new ArrayList<>();
        PullTally tally = new PullTally((done, total) -> seen.add(done + "/" + total));
        ObjectMapper json = new ObjectMapper();
        for (String line : List.of(
                "{'status':'Pulling from library/x','id':'latest'}",
                "{'status':'Downloading','id':'a','progressDetail':{'current':10,'total':100}}",
                "{'status':'Downloading','id':'b','progressDetail':{'current':5,'total':50}}",
                "{'status':'Download complete','id':'a'}",
                "{'status':'Extracting','id':'a','progressDetail':{'current':1,'total':9000}}",
                "{'status':'Pull complete','id':'b'}")) {
            tally.take(json.readTree(line.replace('\'', '"')));
        }

        assertThat(seen).containsExactly("10/100", "15/150", "105/150", "150/150");
    }
}
