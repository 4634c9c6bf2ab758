package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.dockerjava.transport.DockerHttpClient.Response;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The engine's images. Any thread.
 *
 * <p>A fetch may take as long as it takes, as long as it goes on: it is given up when nothing has come for the deadline.
 */
final class Images {
    private final EngineLine asking;
    private final EngineLine waiting;
    private final Duration deadline;

    Images(EngineLine asking, EngineLine waiting, Duration deadline) {
        this.asking = asking;
        this.waiting = waiting;
        this.deadline = deadline;
    }

    Optional<ImageFacts> image(String reference) throws EngineException, InterruptedException {
        if (reference.isEmpty()) {
            throw new EngineException(Kind.REFUSED, "invalid reference format");
        }
        Answer answer = asking.ask(Call.get(Call.image(reference) + "/json"), deadline);
        return answer.is(404) ? Optional.empty() : Optional.of(FactsReader.image(answer.json()));
    }

    ImageFacts pull(String reference, Optional<Credentials> credentials, PullProgress progress)
            throws EngineException, InterruptedException {
        ImageReference parts = ImageReference.parse(reference);
        if (parts.repository().isEmpty() || parts.tag().isEmpty()) {
            throw new EngineException(Kind.REFUSED, "invalid reference format");
        }
        Call call = Call.post(
                "/images/create?fromImage=" + Call.encoded(parts.repository()) + "&tag=" + Call.encoded(parts.tag()),
                credentials.map(Images::authorization).orElse(Map.of()));
        PullTally tally = new PullTally(progress);
        waiting.run(
                call,
                deadline,
                (response, pulse) -> follow(response, told -> {
                    pulse.beat();
                    tally.take(told);
                }));
        return present(reference);
    }

    ImageFacts importImage(String reference, InputStream layer, List<String> entrypoint)
            throws EngineException, InterruptedException {
        ImageReference parts = ImageReference.parse(reference);
        ObjectNode words = Json.object();
        Json.texts(words, "entrypoint", entrypoint);
        String change = entrypoint.isEmpty() ? "" : "&changes=" + Call.encoded("ENTRYPOINT " + words.get("entrypoint"));
        Call call = Call.upload(
                "/images/create?fromSrc=-&repo=" + Call.encoded(parts.repository()) + "&tag="
                        + Call.encoded(parts.tag()) + change,
                layer);
        waiting.run(call, deadline, (response, pulse) -> follow(response, told -> pulse.beat()));
        return present(reference);
    }

    private ImageFacts present(String reference) throws EngineException, InterruptedException {
        return image(reference)
                .orElseThrow(() -> new EngineException(
                        Kind.FAILED,
                        "image " + reference + " is not there although the Docker daemon said that it had got it"));
    }

    /** An answer that begins well can still end badly: then its last document says so. */
    private static Void follow(Response response, Json.Documents documents) throws IOException, EngineException {
        if (response.getStatusCode() >= 300) {
            throw Answer.read(response).failure();
        }
        String[] error = {""};
        Json.each(response.getBody(), told -> {
            JsonNode message = told.path("errorDetail").path("message");
            error[0] =
                    message.isTextual() ? message.asText() : told.path("error").asText(error[0]);
            documents.next(told);
        });
        if (!error[0].isEmpty()) {
            throw Failures.late(error[0]);
        }
        return null;
    }

    private static Map<String, String> authorization(Credentials credentials) {
        ObjectNode tree = Json.object()
                .put("username", credentials.user())
                .put("password", credentials.password())
                .put("serveraddress", credentials.server());
        return Map.of(
                "X-Registry-Auth",
                Base64.getUrlEncoder().encodeToString(tree.toString().getBytes(StandardCharsets.UTF_8)));
    }
}
