package dev.mooring.node.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ImagesTest {
    private static final String X = "registry/x:1";
    private static final String ERR_PULL = "ErrImagePull: " + FakeRegistry.NO_ROUTE;
    private static final String BACK_OFF =
            "ImagePullBackOff: Back-off pulling image \"registry/x:1\": ErrImagePull: " + FakeRegistry.NO_ROUTE;

    private final ImageBench bench = new ImageBench();

    @Test
    void anImageThatIsThereCostsOneQuestion() {
        bench.engine.present.add("busybox:latest");
        assertThat(bench.ask("p", "busybox", "IfNotPresent")).isEqualTo(new ImageState.Coming());
        assertThat(bench.woken).isEmpty();
        bench.settle();
        assertThat(bench.woken).containsExactly("p");
        assertThat(ImageBench.words(bench.ask("p", "busybox", "IfNotPresent")))
                .isEqualTo("Present sha256:of-busybox:latest");
        assertThat(bench.engine.asked).containsExactly("image busybox:latest");
        assertThat(bench.told())
                .containsExactly("Normal Pulled Container image \"busybox\" already present on machine x1");
    }

    @Test
    void oneQuestionAnswersAllWhoAskItMeanwhile() {
        bench.engine.present.add(X);
        for (int i = 0; i < 50; i++) {
            bench.ask("p" + i, X, "IfNotPresent");
        }
        bench.settle();
        assertThat(bench.engine.asked).containsExactly("image " + X);
        assertThat(bench.woken).hasSize(50);
    }

    @Test
    void whatIsNotThereIsFetched() {
        bench.engine.offered.add(X);
        bench.engine.whilePulling = progress -> bench.pass(0);
        assertThat(bench.get("p", X, "IfNotPresent")).isEqualTo("Present sha256:of-" + X);
        assertThat(bench.engine.asked).containsExactly("image " + X, "pull " + X);
        assertThat(bench.told())
                .containsExactlyInAnyOrder(
                        "Normal Pulling Pulling image \"registry/x:1\" x1",
                        "Normal Pulled Successfully pulled image \"registry/x:1\" in 0s (0s including waiting). Image"
                                + " size: 4300000 bytes. x1");
    }

    @ParameterizedTest
    @CsvSource({
        "Always, pull registry/x:1 | pull registry/x:1",
        "IfNotPresent, image registry/x:1 | image registry/x:1",
        "Never, image registry/x:1 | image registry/x:1"
    })
    void eachAttemptOfAContainerAsksOnceAsItsPolicySays(String policy, String asked) {
        bench.engine.offered.add(X);
        bench.engine.present.add(X);
        for (int attempt = 0; attempt < 2; attempt++) {
            bench.get("p", X, policy);
            assertThat(bench.get("p", X, policy)).startsWith("Present");
            bench.images.consumed("uid-p", "c");
        }
        assertThat(String.join(" | ", bench.engine.asked)).isEqualTo(asked);
    }

    @Test
    void latestIsFetchedEachTimeUnlessSomethingElseIsSaid() {
        bench.engine.offered.add("busybox:latest");
        bench.engine.present.add("busybox:latest");
        bench.engine.present.add("busybox:1");
        bench.get("p", "busybox", "");
        bench.get("q", "busybox:1", "");
        assertThat(bench.engine.asked).containsExactly("pull busybox:latest", "image busybox:1");
    }

    @Test
    void aFailedPullIsAnErrorThenABackOffThenAnError() {
        assertThat(bench.get("p", X, "IfNotPresent")).isEqualTo(ERR_PULL);
        assertThat(bench.secondsUntilNext(bench.ask("p", X, "IfNotPresent"))).isEqualTo(2);
        assertThat(bench.told())
                .containsExactlyInAnyOrder(
                        "Normal Pulling Pulling image \"registry/x:1\" x1",
                        "Warning Failed Failed to pull image \"registry/x:1\": " + FakeRegistry.NO_ROUTE + " x1",
                        "Warning Failed Error: ErrImagePull x1");

        bench.pass(2);
        assertThat(bench.get("p", X, "IfNotPresent")).isEqualTo(BACK_OFF);
        assertThat(bench.get("p", X, "IfNotPresent")).isEqualTo(BACK_OFF);
        assertThat(bench.secondsUntilNext(bench.ask("p", X, "IfNotPresent"))).isEqualTo(8);
        assertThat(bench.told())
                .contains(
                        "Normal BackOff Back-off pulling image \"registry/x:1\" x1",
                        "Warning Failed Error: ImagePullBackOff x1");

        bench.pass(8);
        assertThat(ImageBench.words(bench.ask("p", X, "IfNotPresent"))).isEqualTo(BACK_OFF);
        bench.settle();
        assertThat(ImageBench.words(bench.ask("p", X, "IfNotPresent"))).isEqualTo(ERR_PULL);
        assertThat(bench.engine.asked).containsExactly("image " + X, "pull " + X, "image " + X, "pull " + X);
    }

    @Test
    void waitsTwiceAsLongAfterEachFailureUpToFiveMinutes() {
        List<Integer> waits = List.of(10, 20, 40, 80, 160, 300, 300);
        for (int wait : waits) {
            assertThat(bench.get("p", X, "Always")).isEqualTo(ERR_PULL);
            bench.pass(wait - 1);
            assertThat(bench.secondsUntilNext(bench.ask("p", X, "Always"))).isEqualTo(1);
            bench.pass(1);
        }
        bench.engine.offered.add(X);
        assertThat(bench.get("p", X, "Always")).startsWith("Present");
        bench.images.consumed("uid-p", "c");
        bench.engine.offered.clear();
        assertThat(bench.get("p", X, "Always")).isEqualTo(ERR_PULL);
        assertThat(bench.pass(2).secondsUntilNext(bench.ask("p", X, "Always"))).isEqualTo(8);
    }

    @Test
    void anImageThatWasPutThereMeanwhileIsUsedWhenTheWaitIsOver() {
        bench.get("p", X, "IfNotPresent");
        bench.engine.present.add(X);
        bench.pass(10);
        assertThat(bench.get("p", X, "IfNotPresent")).startsWith("Present");
    }

    @Test
    void twoContainersOfAPodShareAPullAndItsFailure() {
        JsonNode one = ImageBench.container("one", X, "IfNotPresent");
        JsonNode two = ImageBench.container("two", X, "IfNotPresent");
        bench.ask(bench.images, "p", one);
        bench.ask(bench.images, "p", two);
        bench.settle();
        assertThat(bench.engine.asked).containsExactly("image " + X, "pull " + X);
        assertThat(bench.secondsUntilNext(bench.pass(3).ask(bench.images, "p", one)))
                .isEqualTo(7);
        JsonNode three = ImageBench.container("three", X, "IfNotPresent");
        bench.ask(bench.images, "p", three);
        bench.settle();
        assertThat(ImageBench.words(bench.ask(bench.images, "p", three))).isEqualTo(BACK_OFF);
        assertThat(bench.engine.asked).containsExactly("image " + X, "pull " + X, "image " + X);
    }

    @Test
    void anotherPodDoesNotWaitForTheFirstOnesBackOff() {
        bench.get("p", X, "IfNotPresent");
        bench.engine.offered.add(X);
        assertThat(bench.get("q", X, "IfNotPresent")).startsWith("Present");
        assertThat(bench.get("p", X, "IfNotPresent")).isEqualTo(ERR_PULL);
    }

    @Test
    void onePullOfAReferenceServesAllPodsAndSoManyGoOnAtOnce() {
        for (String image : List.of("a:1", "b:1", "c:1")) {
            bench.engine.offered.add(image);
            bench.ask("p-" + image.charAt(0), image, "Always");
            bench.ask("q-" + image.charAt(0), image, "Always");
        }
        for (int i = 0; i < 6; i++) {
            bench.threads.poll().run();
        }
        assertThat(bench.threads).as("pulls that have a thread").hasSize(2);
        bench.settle();
        assertThat(bench.engine.asked).containsExactly("pull a:1", "pull b:1", "pull c:1");
        assertThat(bench.woken).hasSize(6);
    }

    @Test
    void whatIsNeverToBeFetchedIsLookedForNowAndThenAndToldOnce() {
        String refused = "ErrImageNeverPull: Container image \"registry/x:1\" is not present with pull policy of Never";
        assertThat(bench.get("p", X, "Never")).isEqualTo(refused);
        assertThat(bench.secondsUntilNext(bench.ask("p", X, "Never"))).isEqualTo(10);
        bench.pass(10);
        assertThat(bench.get("p", X, "Never")).isEqualTo(refused);
        assertThat(bench.told())
                .containsExactlyInAnyOrder(
                        "Warning ErrImageNeverPull Container image \"registry/x:1\" is not present with pull policy of"
                                + " Never x1",
                        "Warning Failed Error: ErrImageNeverPull x1");
        bench.engine.present.add(X);
        bench.pass(10);
        assertThat(bench.get("p", X, "Never")).startsWith("Present");
        assertThat(bench.engine.asked).containsExactly("image " + X, "image " + X, "image " + X);
    }

    @Test
    void aNameThatNoImageCanHaveIsRefusedUntilItChanges() {
        assertThat(bench.get("p", "no such/name", "Always"))
                .isEqualTo("InvalidImageName: Failed to apply default image tag \"no such/name\": couldn't parse image"
                        + " name \"no such/name\": invalid reference format");
        assertThat(bench.told()).hasSize(2).contains("Warning Failed Error: InvalidImageName x1");
        bench.engine.present.add(X);
        assertThat(bench.get("p", X, "IfNotPresent")).startsWith("Present");
    }

    @Test
    void anEngineThatIsNotThereSaysNothingAboutAnImage() {
        bench.engine.down = Optional.of(new EngineException(Kind.UNREACHABLE, "connection refused"));
        assertThat(bench.get("p", X, "IfNotPresent")).isEqualTo("Coming");
        assertThat(bench.get("q", X, "Always")).isEqualTo("Coming");
        bench.pass(3);
        assertThat(bench.woken).isEmpty();
        bench.engine.down = Optional.empty();
        bench.engine.offered.add(X);
        bench.pass(1);
        assertThat(bench.woken).containsExactlyInAnyOrder("p", "q");
        assertThat(bench.get("p", X, "IfNotPresent")).startsWith("Present");
        assertThat(bench.told()).noneMatch(each -> each.contains("Failed"));
    }

    @Test
    void aPullThatStoodStillOnAnEngineThatAnswersHasFailed() {
        bench.engine.troubles.put(X, new EngineException(Kind.TOO_SLOW, "nothing came for 60 s"));
        assertThat(bench.get("p", X, "IfNotPresent")).isEqualTo("ErrImagePull: nothing came for 60 s");
    }

    @Test
    void anEngineThatRefusesToLookIsToldAbout() {
        bench.engine.down = Optional.of(new EngineException(Kind.FAILED, "layer is broken"));
        assertThat(bench.get("p", X, "IfNotPresent"))
                .isEqualTo("ImageInspectError: Failed to inspect image \"registry/x:1\": layer is broken");
    }

    @Test
    void aPolicyThatFetchesAlwaysFailsAlthoughTheImageIsThereAndSaysSo() {
        bench.engine.present.add(X);
        assertThat(bench.get("p", X, "Always")).isEqualTo(ERR_PULL);
        assertThat(bench.told())
                .contains("Warning Failed Failed to pull image \"registry/x:1\": " + FakeRegistry.NO_ROUTE
                        + " (the image is present on this machine: imagePullPolicy IfNotPresent would use it) x1");
    }

    @Test
    void progressIsToldEveryTenSeconds() {
        bench.engine.offered.add(X);
        bench.engine.whilePulling = progress -> {
            for (int second = 1; second <= 25; second++) {
                bench.pass(1);
                progress.progress((second * 4L) << 20, 120L << 20);
            }
        };
        bench.get("p", X, "Always");
        assertThat(bench.told())
                .containsExactlyInAnyOrder(
                        "Normal Pulling Pulling image \"registry/x:1\" x1",
                        "Normal Pulling Pulling image \"registry/x:1\": 40 MiB of 120 MiB (33 %) x1",
                        "Normal Pulling Pulling image \"registry/x:1\": 80 MiB of 120 MiB (66 %) x1",
                        "Normal Pulled Successfully pulled image \"registry/x:1\" in 25s (25s including waiting). Image"
                                + " size: 4300000 bytes. x1");
    }

    @Test
    void nothingComesOfWhatAForgottenPodWanted() {
        bench.ask("p", X, "IfNotPresent");
        bench.images.forget("uid-p");
        bench.settle();
        assertThat(bench.woken).isEmpty();
        assertThat(bench.told()).isEmpty();
    }

    @Test
    void secretsOfThePodOpenTheRegistryAndAreNeverTold() {
        bench.put("{kind: Secret, metadata: {name: empty, namespace: default}, data: {a: eA==}}");
        bench.put("{kind: Pod, metadata: {name: p, namespace: default}, spec: {imagePullSecrets:"
                + " [{name: wrong}, {name: theirs}, {name: gone}, {name: empty}]}}");
        bench.engine.password = "hunter2";
        String image = "registry.example/x:1";
        bench.put(secret("theirs", "https://registry.example/v1/", "user", "hunter2"));
        bench.put(secret("wrong", "*.example", "other", "pa55word"));
        bench.engine.offered.add(image);
        assertThat(bench.get("p", image, "Always")).startsWith("Present");
        assertThat(bench.engine.asked)
                .containsExactly(
                        "pull " + image + " as other@*.example",
                        "pull " + image + " as user@https://registry.example/v1/");
        assertThat(bench.told())
                .contains("Warning FailedToRetrieveImagePullSecret Unable to retrieve some image pull secrets (gone);"
                        + " attempting to pull the image may not succeed. x1")
                .anyMatch(each -> each.contains("Unable to use some image pull secrets (empty)"));
    }

    @Test
    void aPasswordThatARegistryRepeatsIsNotPassedOn() {
        bench.put(secret("wrong", "registry.example", "other", "pa55word"));
        bench.put("{kind: Pod, metadata: {name: p, namespace: default}, spec: {imagePullSecrets: [{name: wrong}]}}");
        bench.engine.password = "hunter2";
        assertThat(bench.get("p", "registry.example/x:1", "Always")).isEqualTo("ErrImagePull: denied for '***'");
        assertThat(bench.told()).noneMatch(each -> each.contains("pa55word"));
    }

    static String secret(String name, String server, String user, String password) {
        String auth = base64(user + ':' + password);
        String config = "{\"auths\": {\"" + server + "\": {\"auth\": \"" + auth + "\"}}}";
        return "{kind: Secret, metadata: {name: " + name
                + ", namespace: default}, type: kubernetes.io/dockerconfigjson," + " data: {.dockerconfigjson: "
                + base64(config) + "}}";
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource({"0, 0s", "350, 350ms", "1000, 1s", "2100, 2.1s", "62345, 1m2.345s", "60000, 1m0s", "3601000, 1h0m1s"})
    void durationsAreAsGoPrintsThem(long millis, String text) {
        assertThat(ImageTeller.text(Duration.ofMillis(millis))).isEqualTo(text);
    }
}
