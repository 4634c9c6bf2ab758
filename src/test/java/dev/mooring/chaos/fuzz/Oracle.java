package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.chaos.fuzz.FuzzRequest.SendMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Checks responses for problems that no request may cause. Stateless. */
final class Oracle {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxStringLength(64 << 20).build())
            .build();
    private static final ObjectMapper JSON = new ObjectMapper(FACTORY);

    private Oracle() {}

    /** Returns the problem of a response, if it has one. */
    static Optional<String> problem(FuzzRequest call, FuzzReply reply) {
        if (reply.code() >= 500 && !isFutureRevision(reply)) {
            return Optional.of("Status is 500 or above");
        }
        boolean resource = call.path().startsWith("/api");
        if (call.sendMode() == SendMode.BROKEN
                || call.sendMode() == SendMode.UNFINISHED
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
        return call.sendMode() == SendMode.STREAM ? lines(reply) : parses(reply.body());
    }

    /** Returns whether the response is Kubernetes' error for a future revision, on which clients retry. */
    private static boolean isFutureRevision(FuzzReply reply) {
        return reply.code() == 504
                && tree(reply.body()).at("/details/causes/0/reason").asText().equals("ResourceVersionTooLarge");
    }

    private static Optional<String> status(FuzzReply reply) {
        JsonNode status = tree(reply.body());
        if (!status.path("kind").asText().equals("Status")) {
            return Optional.of("The body of an error is not a Status");
        }
        if (status.path("code").asInt() != reply.code()
                || !status.path("status").asText().equals("Failure")) {
            return Optional.of("The code in the Status differs from the HTTP status, or its status is not Failure");
        }
        if (status.path("message").asText().isEmpty()
                || status.path("reason").asText().isEmpty()) {
            return Optional.of("The message or reason of an error is empty");
        }
        return Optional.empty();
    }

    /** Checks the lines of a stream, except the last, which may be incomplete. */
    private static Optional<String> lines(FuzzReply reply) {
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
            return Optional.of("Invalid JSON: " + e.getMessage());
        }
    }

    /** Parses JSON; returns a missing node if it is invalid. */
    static JsonNode tree(byte[] json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }
}
