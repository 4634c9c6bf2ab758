package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.dockerjava.transport.DockerHttpClient.Response;
import dev.mooring.runtime.EngineException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * What the engine said, complete.
 *
 * @param apiVersion the newest one that it speaks; "" if it did not say
 * @param date of the engine's clock, as HTTP writes it; "" if it did not say
 */
record Answer(int status, String apiVersion, String date, String body) {
    /** To its end, for only then the connection can be used again. */
    static Answer read(Response response) throws IOException {
        return new Answer(
                response.getStatusCode(),
                header(response, "Api-Version"),
                header(response, "Date"),
                new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8));
    }

    boolean isSuccess() {
        return status >= 200 && status < 300;
    }

    boolean is(int expected) {
        return status == expected;
    }

    JsonNode json() throws EngineException {
        if (!isSuccess()) {
            throw failure();
        }
        try {
            return Json.tree(body);
        } catch (IOException e) {
            throw new EngineException(
                    EngineException.Kind.FAILED,
                    "Expected JSON from the engine, but got something else: " + e.getMessage(),
                    e);
        }
    }

    void orFail() throws EngineException {
        if (!isSuccess()) {
            throw failure();
        }
    }

    EngineException failure() {
        return Failures.of(status, body);
    }

    /** The engine's words. */
    String words() {
        return Failures.words(status, body);
    }

    private static String header(Response response, String name) {
        String value = response.getHeader(name);
        return value == null ? "" : value;
    }
}
