package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.dockerjava.transport.DockerHttpClient.Response;
import dev.mooring.model.Json;
import dev.mooring.runtime.EngineException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * A complete response of the engine.
 *
 * @param apiVersion the newest API version it supports; "" if missing
 * @param date of the engine's clock, in HTTP format; "" if missing
 */
record DockerResponse(int status, String apiVersion, String date, String body) {
    /** Reads a response to its end; only then the connection can be reused. */
    static DockerResponse read(Response response) throws IOException {
        return new DockerResponse(
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
            return Json.MAPPER.readTree(body);
        } catch (IOException e) {
            throw new EngineException(
                    EngineException.Kind.FAILED, "The response of the Docker daemon is not JSON: " + e.getMessage(), e);
        }
    }

    void requireSuccess() throws EngineException {
        if (!isSuccess()) {
            throw failure();
        }
    }

    EngineException failure() {
        return DockerErrors.of(status, body);
    }

    /** Returns the engine's message. */
    String message() {
        return DockerErrors.message(status, body);
    }

    private static String header(Response response, String name) {
        String value = response.getHeader(name);
        return value == null ? "" : value;
    }
}
