package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.chaos.fuzz.Call.Manner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Says what is wrong with an answer, whatever the request was. Stateless; any thread. */
final class Oracle {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxStringLength(64 << 20).build())
            .build();
    private static final ObjectMapper JSON = new ObjectMapper(FACTORY);

    private Oracle() {}

    /** What is wrong, if anything is. */
    static Optional<String> problem(Call call, Reply reply) {
        if (reply.code() >= 500 && !isOfTheFuture(reply)) {
            return Optional.of("Expected no answer from 500 on, but got one");
        }
        boolean resource = call.path().startsWith("/api");
        if (call.manner() == Manner.BROKEN
                || call.manner() == Manner.UNFINISHED
                || call.method().equals("HEAD")) {
            return Optional.empty();
        }
        boolean headTooLarge = reply.code() == 414 || reply.code() == 431;
        if (resource && reply.code() >= 400 && !headTooLarge) {
            return status(reply);
        }
        boolean json = reply.header("content-type").startsWith("application/json");
        if (!json
                || reply.body().length == 0
                || reply.header("content-encoding").equals("gzip")) {
            return Optional.empty();
        }
        return call.manner() == Manner.STREAM ? lines(reply) : parses(reply.body());
    }

    /** Kubernetes' own answer to a revision that has not happened yet, which its clients know and wait for. */
    private static boolean isOfTheFuture(Reply reply) {
        return reply.code() == 504
                && tree(reply.body()).at("/details/causes/0/reason").asText().equals("ResourceVersionTooLarge");
    }

    private static Optional<String> status(Reply reply) {
        JsonNode status = tree(reply.body());
        if (!status.path("kind").asText().equals("Status")) {
            return Optional.of("Expected a Status for an error, but got something else");
        }
        if (status.path("code").asInt() != reply.code()
                || !status.path("status").asText().equals("Failure")) {
            return Optional.of("Expected a Status of the answer's code, but it says otherwise");
        }
        if (status.path("message").asText().isEmpty()
                || status.path("reason").asText().isEmpty()) {
            return Optional.of("Expected an error to say what is wrong, but its message or reason is empty");
        }
        return Optional.empty();
    }

    /** The last one may be cut off: the client hung up. */
    private static Optional<String> lines(Reply reply) {
        String text = reply.text();
        for (String line :
                text.substring(0, Math.max(0, text.lastIndexOf('\n'))).split("\n", -1)) {
            if (!line.isEmpty()) {
                Optional<String> problem = parses(line.getBytes(StandardCharsets.UTF_8));
                if (problem.isPresent()) {
                    return problem;
                }
            }
        }
        return Optional.empty();
    }

    static Optional<String> parses(byte[] json) {
        try (JsonParser parser = FACTORY.createParser(json)) {
            while (parser.nextToken() != null) {
                if (parser.hasCurrentToken() && parser.currentToken().isScalarValue()) {
                    parser.getText();
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("Expected JSON, but it does not parse: " + e.getMessage());
        }
    }

    /** Missing if it is no JSON. */
    static JsonNode tree(byte[] json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }
}
