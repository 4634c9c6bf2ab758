package dev.mooring.node.container;

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

final class ImageManagerTest {
    private static final String X = "registry/x:1";
    private static final String ERR_PULL = "ErrImagePull: " + FakeRegistry.NO_ROUTE;
    private static final String BACK_OFF =
            "ImagePullBackOff: Back-off pulling image \"registry/x:1\": ErrImagePull: " + FakeRegistry.NO_ROUTE;

    private final ImageManagerFixture fixture = new ImageManagerFixture();

    @Test
    void presentImage_isInspectedOnce() {
        fixture.engine.present.add("busybox:latest");
        assertThat(fixture.request("p", "busybox", "IfNotPresent")).isEqualTo(new ImageState.Pending());
        assertThat(fixture.requeued).isEmpty();
        fixture.settle();
        assertThat(fixture.requeued).containsExactly("p");
        assertThat(ImageManagerFixture.describe(fixture.request("p", "busybox", "IfNotPresent")))
                .isEqualTo("Present sha256:of-busybox:latest");
        assertThat(fixture.engine.calls).containsExactly("image busybox:latest");
        assertThat(fixture.recordedEvents())
                .containsExactly("Normal Pulled Container image \"busybox\" already present on machine x1");
    }

    @Test
    void presentImage_manyPodsRequestIt_isInspectedOnce() {
        fixture.engine.present.add(X);
        for (int i = 0; i < 50; i++) {
            fixture.request("p" + i, X, "IfNotPresent");
        }
        fixture.settle();
        assertThat(fixture.engine.calls).containsExactly("image " + X);
        assertThat(fixture.requeued).hasSize(50);
    }

    @Test
    void missingImage_isPulled() {
        fixture.engine.offered.add(X);
        fixture.engine.whilePulling = progress -> fixture.pass(0);
        assertThat(fixture.get("p", X, "IfNotPresent")).isEqualTo("Present sha256:of-" + X);
        assertThat(fixture.engine.calls).containsExactly("image " + X, "pull " + X);
        assertThat(fixture.recordedEvents())
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
    void image_eachContainerAttempt_isCheckedOnceByItsPolicy(String policy, String calls) {
        fixture.engine.offered.add(X);
        fixture.engine.present.add(X);
        for (int attempt = 0; attempt < 2; attempt++) {
            fixture.get("p", X, policy);
            assertThat(fixture.get("p", X, policy)).startsWith("Present");
            fixture.images.containerCreated("uid-p", "c");
        }
        assertThat(String.join(" | ", fixture.engine.calls)).isEqualTo(calls);
    }

    @Test
    void latestTag_withoutPolicy_isAlwaysPulled() {
        fixture.engine.offered.add("busybox:latest");
        fixture.engine.present.add("busybox:latest");
        fixture.engine.present.add("busybox:1");
        fixture.get("p", "busybox", "");
        fixture.get("q", "busybox:1", "");
        assertThat(fixture.engine.calls).containsExactly("pull busybox:latest", "image busybox:1");
    }

    @Test
    void failedPull_reportsErrorThenBackOffThenError() {
        assertThat(fixture.get("p", X, "IfNotPresent")).isEqualTo(ERR_PULL);
        assertThat(fixture.secondsUntilNext(fixture.request("p", X, "IfNotPresent")))
                .isEqualTo(2);
        assertThat(fixture.recordedEvents())
                .containsExactlyInAnyOrder(
                        "Normal Pulling Pulling image \"registry/x:1\" x1",
                        "Warning Failed Failed to pull image \"registry/x:1\": " + FakeRegistry.NO_ROUTE + " x1",
                        "Warning Failed Error: ErrImagePull x1");

        fixture.pass(2);
        assertThat(fixture.get("p", X, "IfNotPresent")).isEqualTo(BACK_OFF);
        assertThat(fixture.get("p", X, "IfNotPresent")).isEqualTo(BACK_OFF);
        assertThat(fixture.secondsUntilNext(fixture.request("p", X, "IfNotPresent")))
                .isEqualTo(8);
        assertThat(fixture.recordedEvents())
                .contains(
                        "Normal BackOff Back-off pulling image \"registry/x:1\" x1",
                        "Warning Failed Error: ImagePullBackOff x1");

        fixture.pass(8);
        assertThat(ImageManagerFixture.describe(fixture.request("p", X, "IfNotPresent")))
                .isEqualTo(BACK_OFF);
        fixture.settle();
        assertThat(ImageManagerFixture.describe(fixture.request("p", X, "IfNotPresent")))
                .isEqualTo(ERR_PULL);
        assertThat(fixture.engine.calls).containsExactly("image " + X, "pull " + X, "image " + X, "pull " + X);
    }

    @Test
    void failedPull_backOff_doublesUpToFiveMinutes() {
        List<Integer> waits = List.of(10, 20, 40, 80, 160, 300, 300);
        for (int wait : waits) {
            assertThat(fixture.get("p", X, "Always")).isEqualTo(ERR_PULL);
            fixture.pass(wait - 1);
            assertThat(fixture.secondsUntilNext(fixture.request("p", X, "Always")))
                    .isEqualTo(1);
            fixture.pass(1);
        }
        fixture.engine.offered.add(X);
        assertThat(fixture.get("p", X, "Always")).startsWith("Present");
        fixture.images.containerCreated("uid-p", "c");
        fixture.engine.offered.clear();
        assertThat(fixture.get("p", X, "Always")).isEqualTo(ERR_PULL);
        assertThat(fixture.pass(2).secondsUntilNext(fixture.request("p", X, "Always")))
                .isEqualTo(8);
    }

    @Test
    void failedPull_imageAppearsDuringBackOff_isUsedAfterwards() {
        fixture.get("p", X, "IfNotPresent");
        fixture.engine.present.add(X);
        fixture.pass(10);
        assertThat(fixture.get("p", X, "IfNotPresent")).startsWith("Present");
    }

    @Test
    void containersOfOnePod_shareAPullAndItsBackOff() {
        JsonNode one = ImageManagerFixture.container("one", X, "IfNotPresent");
        JsonNode two = ImageManagerFixture.container("two", X, "IfNotPresent");
        fixture.request(fixture.images, "p", one);
        fixture.request(fixture.images, "p", two);
        fixture.settle();
        assertThat(fixture.engine.calls).containsExactly("image " + X, "pull " + X);
        assertThat(fixture.secondsUntilNext(fixture.pass(3).request(fixture.images, "p", one)))
                .isEqualTo(7);
        JsonNode three = ImageManagerFixture.container("three", X, "IfNotPresent");
        fixture.request(fixture.images, "p", three);
        fixture.settle();
        assertThat(ImageManagerFixture.describe(fixture.request(fixture.images, "p", three)))
                .isEqualTo(BACK_OFF);
        assertThat(fixture.engine.calls).containsExactly("image " + X, "pull " + X, "image " + X);
    }

    @Test
    void failedPull_otherPod_hasItsOwnBackOff() {
        fixture.get("p", X, "IfNotPresent");
        fixture.engine.offered.add(X);
        assertThat(fixture.get("q", X, "IfNotPresent")).startsWith("Present");
        assertThat(fixture.get("p", X, "IfNotPresent")).isEqualTo(ERR_PULL);
    }

    @Test
    void pulls_ofManyPods_areSharedAndLimited() {
        for (String image : List.of("a:1", "b:1", "c:1")) {
            fixture.engine.offered.add(image);
            fixture.request("p-" + image.charAt(0), image, "Always");
            fixture.request("q-" + image.charAt(0), image, "Always");
        }
        for (int i = 0; i < 6; i++) {
            fixture.threads.poll().run();
        }
        assertThat(fixture.threads).as("running pulls").hasSize(2);
        fixture.settle();
        assertThat(fixture.engine.calls).containsExactly("pull a:1", "pull b:1", "pull c:1");
        assertThat(fixture.requeued).hasSize(6);
    }

    @Test
    void policyNever_missingImage_isInspectedAgainWithoutMoreEvents() {
        String refused = "ErrImageNeverPull: Container image \"registry/x:1\" is not present with pull policy of Never";
        assertThat(fixture.get("p", X, "Never")).isEqualTo(refused);
        assertThat(fixture.secondsUntilNext(fixture.request("p", X, "Never"))).isEqualTo(10);
        fixture.pass(10);
        assertThat(fixture.get("p", X, "Never")).isEqualTo(refused);
        assertThat(fixture.recordedEvents())
                .containsExactlyInAnyOrder(
                        "Warning ErrImageNeverPull Container image \"registry/x:1\" is not present with pull policy of"
                                + " Never x1",
                        "Warning Failed Error: ErrImageNeverPull x1");
        fixture.engine.present.add(X);
        fixture.pass(10);
        assertThat(fixture.get("p", X, "Never")).startsWith("Present");
        assertThat(fixture.engine.calls).containsExactly("image " + X, "image " + X, "image " + X);
    }

    @Test
    void invalidImageName_isRejectedUntilChanged() {
        assertThat(fixture.get("p", "no such/name", "Always"))
                .isEqualTo("InvalidImageName: Failed to apply default image tag \"no such/name\": couldn't parse image"
                        + " name \"no such/name\": invalid reference format");
        assertThat(fixture.recordedEvents()).hasSize(2).contains("Warning Failed Error: InvalidImageName x1");
        fixture.engine.present.add(X);
        assertThat(fixture.get("p", X, "IfNotPresent")).startsWith("Present");
    }

    @ParameterizedTest
    @CsvSource({"mooring.dev/pause:1, Always", "mooring.dev/pause, Never", "Mooring.dev/pause:2, IfNotPresent"})
    void sandboxImage_requestedByContainer_isRejected(String image, String policy) {
        fixture.engine.offered.add(image);
        assertThat(fixture.get("p", image, policy))
                .isEqualTo("InvalidImageName: Failed to use image \"" + image + "\": the name mooring.dev/pause is"
                        + " reserved for the image of Pod sandboxes; use another name");
        assertThat(fixture.engine.calls).isEmpty();
        assertThat(fixture.recordedEvents()).contains("Warning Failed Error: InvalidImageName x1");
    }

    @Test
    void failedPull_responseBodyOfOtherServer_isNotReported() {
        fixture.engine.pullFailures.put(
                X,
                new EngineException(
                        Kind.FAILED,
                        "Head \"http://10.0.0.1/v2/\": error parsing HTTP 404 response body: invalid character 'p'"
                                + " after top-level value: \"secret: hunter2\""));
        assertThat(fixture.get("p", X, "Always"))
                .isEqualTo("ErrImagePull: Head \"http://10.0.0.1/v2/\": error parsing HTTP 404 response body");
        assertThat(fixture.recordedEvents()).noneMatch(each -> each.contains("hunter2"));
    }

    @Test
    void unreachableEngine_imageStaysPending() {
        fixture.engine.down = Optional.of(new EngineException(Kind.UNREACHABLE, "connection refused"));
        assertThat(fixture.get("p", X, "IfNotPresent")).isEqualTo("Pending");
        assertThat(fixture.get("q", X, "Always")).isEqualTo("Pending");
        fixture.pass(3);
        assertThat(fixture.requeued).isEmpty();
        fixture.engine.down = Optional.empty();
        fixture.engine.offered.add(X);
        fixture.pass(1);
        assertThat(fixture.requeued).containsExactlyInAnyOrder("p", "q");
        assertThat(fixture.get("p", X, "IfNotPresent")).startsWith("Present");
        assertThat(fixture.recordedEvents()).noneMatch(each -> each.contains("Failed"));
    }

    @Test
    void stalledPull_reachableEngine_fails() {
        fixture.engine.pullFailures.put(X, new EngineException(Kind.TOO_SLOW, "nothing came for 60 s"));
        assertThat(fixture.get("p", X, "IfNotPresent")).isEqualTo("ErrImagePull: nothing came for 60 s");
    }

    @Test
    void failedInspection_reportsImageInspectError() {
        fixture.engine.down = Optional.of(new EngineException(Kind.FAILED, "layer is broken"));
        assertThat(fixture.get("p", X, "IfNotPresent"))
                .isEqualTo("ImageInspectError: Failed to inspect image \"registry/x:1\": layer is broken");
    }

    @Test
    void policyAlways_pullFailsButImagePresent_failsWithHint() {
        fixture.engine.present.add(X);
        assertThat(fixture.get("p", X, "Always")).isEqualTo(ERR_PULL);
        assertThat(fixture.recordedEvents())
                .contains("Warning Failed Failed to pull image \"registry/x:1\": " + FakeRegistry.NO_ROUTE
                        + " (the image is present on this machine: imagePullPolicy IfNotPresent would use it) x1");
    }

    @Test
    void pull_recordsProgressEveryTenSeconds() {
        fixture.engine.offered.add(X);
        fixture.engine.whilePulling = progress -> {
            for (int second = 1; second <= 25; second++) {
                fixture.pass(1);
                progress.progress((second * 4L) << 20, 120L << 20);
            }
        };
        fixture.get("p", X, "Always");
        assertThat(fixture.recordedEvents())
                .containsExactlyInAnyOrder(
                        "Normal Pulling Pulling image \"registry/x:1\" x1",
                        "Normal Pulling Pulling image \"registry/x:1\": 40 MiB of 120 MiB (33 %) x1",
                        "Normal Pulling Pulling image \"registry/x:1\": 80 MiB of 120 MiB (66 %) x1",
                        "Normal Pulled Successfully pulled image \"registry/x:1\" in 25s (25s including waiting). Image"
                                + " size: 4300000 bytes. x1");
    }

    @Test
    void forgottenPod_isNotRequeued() {
        fixture.request("p", X, "IfNotPresent");
        fixture.images.forget("uid-p");
        fixture.settle();
        assertThat(fixture.requeued).isEmpty();
        assertThat(fixture.recordedEvents()).isEmpty();
    }

    @Test
    void pullSecrets_areTriedInOrderAndUnusableOnesReported() {
        fixture.put("{kind: Secret, metadata: {name: empty, namespace: default}, data: {a: eA==}}");
        fixture.put("{kind: Pod, metadata: {name: p, namespace: default}, spec: {imagePullSecrets:"
                + " [{name: wrong}, {name: theirs}, {name: gone}, {name: empty}]}}");
        fixture.engine.password = "hunter2";
        String image = "registry.example/x:1";
        fixture.put(secret("theirs", "https://registry.example/v1/", "user", "hunter2"));
        fixture.put(secret("wrong", "*.example", "other", "pa55word"));
        fixture.engine.offered.add(image);
        assertThat(fixture.get("p", image, "Always")).startsWith("Present");
        assertThat(fixture.engine.calls)
                .containsExactly(
                        "pull " + image + " as other@*.example",
                        "pull " + image + " as user@https://registry.example/v1/");
        assertThat(fixture.recordedEvents())
                .contains("Warning FailedToRetrieveImagePullSecret Unable to retrieve some image pull secrets (gone);"
                        + " attempting to pull the image may not succeed. x1")
                .anyMatch(each -> each.contains("Unable to use some image pull secrets (empty)"));
    }

    @Test
    void failedPull_passwordInMessage_isMasked() {
        fixture.put(secret("wrong", "registry.example", "other", "pa55word"));
        fixture.put("{kind: Pod, metadata: {name: p, namespace: default}, spec: {imagePullSecrets: [{name: wrong}]}}");
        fixture.engine.password = "hunter2";
        assertThat(fixture.get("p", "registry.example/x:1", "Always")).isEqualTo("ErrImagePull: denied for '***'");
        assertThat(fixture.recordedEvents()).noneMatch(each -> each.contains("pa55word"));
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
    void durations_areFormattedAsInGo(long millis, String text) {
        assertThat(ImageEventRecorder.text(Duration.ofMillis(millis))).isEqualTo(text);
    }
}
