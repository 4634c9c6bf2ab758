package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.dockerjava.transport.DockerHttpClient.Response;
import dev.mooring.model.Json;
import dev.mooring.runtime.ContainerRuntime.Credentials;
import dev.mooring.runtime.ContainerRuntime.PullProgress;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.ImageFacts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The engine's images. Any thread.
 *
 * <p>A pull has no total time limit: it is aborted when there is no progress for the deadline.
 */
final class DockerImages {
    private final DockerConnectionPool queries;
    private final DockerConnectionPool longCalls;
    private final Duration deadline;

    DockerImages(DockerConnectionPool asking, DockerConnectionPool waiting, Duration deadline) {
        this.queries = asking;
        this.longCalls = waiting;
        this.deadline = deadline;
    }

    Optional<ImageFacts> image(String reference) throws EngineException, InterruptedException {
        if (reference.isEmpty()) {
            throw new EngineException(Kind.REFUSED, "invalid reference format");
        }
        DockerResponse answer = queries.ask(DockerRequest.get(DockerRequest.image(reference) + "/json"), deadline);
        return answer.is(404) ? Optional.empty() : Optional.of(FactsReader.image(answer.json()));
    }

    ImageFacts pull(String reference, Optional<Credentials> credentials, PullProgress progress)
            throws EngineException, InterruptedException {
        ImageReference parts = ImageReference.parse(reference);
        if (parts.repository().isEmpty() || parts.tag().isEmpty()) {
            throw new EngineException(Kind.REFUSED, "invalid reference format");
        }
        DockerRequest call = DockerRequest.post(
                "/images/create?fromImage=" + DockerRequest.encoded(parts.repository()) + "&tag="
                        + DockerRequest.encoded(parts.tag()),
                credentials.map(DockerImages::authorization).orElse(Map.of()));
        PullProgressTracker tracker = new PullProgressTracker(progress);
        longCalls.run(
                call,
                deadline,
                (response, activity) -> readPullStream(response, document -> {
                    activity.increment();
                    tracker.update(document);
                }));
        return present(reference);
    }

    ImageFacts importImage(String reference, InputStream layer, List<String> entrypoint)
            throws EngineException, InterruptedException {
        ImageReference parts = ImageReference.parse(reference);
        ObjectNode words = Json.MAPPER.createObjectNode();
        DockerJson.texts(words, "entrypoint", entrypoint);
        String change = entrypoint.isEmpty()
                ? ""
                : "&changes=" + DockerRequest.encoded("ENTRYPOINT " + words.get("entrypoint"));
        DockerRequest call = DockerRequest.upload(
                "/images/create?fromSrc=-&repo=" + DockerRequest.encoded(parts.repository()) + "&tag="
                        + DockerRequest.encoded(parts.tag()) + change,
                layer);
        longCalls.run(
                call, deadline, (response, activity) -> readPullStream(response, document -> activity.increment()));
        return present(reference);
    }

    private ImageFacts present(String reference) throws EngineException, InterruptedException {
        return image(reference)
                .orElseThrow(() -> new EngineException(
                        Kind.FAILED,
                        "image " + reference + " is missing, although the Docker daemon reported success"));
    }

    /** Reads a pull stream. A response that begins with success can still fail: its last document has the error. */
    private static Void readPullStream(Response response, DockerJson.Documents documents)
            throws IOException, EngineException {
        if (response.getStatusCode() >= 300) {
            throw DockerResponse.read(response).failure();
        }
        String[] error = {""};
        DockerJson.each(response.getBody(), document -> {
            JsonNode message = document.path("errorDetail").path("message");
            error[0] = message.isTextual()
                    ? message.asText()
                    : document.path("error").asText(error[0]);
            documents.next(document);
        });
        if (!error[0].isEmpty()) {
            throw DockerErrors.ofStream(error[0]);
        }
        return null;
    }

    private static Map<String, String> authorization(Credentials credentials) {
        ObjectNode tree = Json.MAPPER
                .createObjectNode()
                .put("username", credentials.user())
                .put("password", credentials.password())
                .put("serveraddress", credentials.server());
        return Map.of(
                "X-Registry-Auth",
                Base64.getUrlEncoder().encodeToString(tree.toString().getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * An image reference, split into the two parts that the engine expects.
     *
     * @param tag a tag or a digest; never empty, since the engine would pull all tags
     */
    record ImageReference(String repository, String tag) {
        private static final String DEFAULT_TAG = "latest";

        static ImageReference parse(String text) {
            int digest = text.indexOf('@');
            if (digest >= 0) {
                // A tag before a digest is redundant.
                return new ImageReference(parse(text.substring(0, digest)).repository(), text.substring(digest + 1));
            }
            int colon = text.lastIndexOf(':');
            boolean isPort = text.indexOf('/', colon + 1) >= 0;
            return colon < 0 || isPort
                    ? new ImageReference(text, DEFAULT_TAG)
                    : new ImageReference(text.substring(0, colon), text.substring(colon + 1));
        }
    }

    /** Sums up the progress of all layers of a pull. One thread. */
    static final class PullProgressTracker {
        private final PullProgress progress;
        private final Map<String, Layer> layers = new HashMap<>();

        PullProgressTracker(PullProgress progress) {
            this.progress = progress;
        }

        void update(JsonNode document) {
            String id = document.path("id").asText("");
            Layer before = layers.getOrDefault(id, Layer.UNKNOWN);
            Layer now = switch (document.path("status").asText("")) {
                case "Downloading" ->
                    new Layer(
                            document.path("progressDetail").path("current").asLong(),
                            Math.max(
                                    before.total,
                                    document.path("progressDetail")
                                            .path("total")
                                            .asLong()));
                case "Download complete", "Pull complete" ->
                    new Layer(Math.max(before.done, before.total), before.total);
                default -> before;
            };
            if (!now.equals(before)) {
                layers.put(id, now);
                progress.progress(
                        layers.values().stream().mapToLong(Layer::done).sum(),
                        layers.values().stream().mapToLong(Layer::total).sum());
            }
        }

        private record Layer(long done, long total) {
            private static final Layer UNKNOWN = new Layer(0, 0);
        }
    }
}
