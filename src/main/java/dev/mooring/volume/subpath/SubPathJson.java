package dev.mooring.volume.subpath;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.subpath.SubPathException.Stage;
import dev.mooring.volume.subpath.SubPathJob.End;
import java.nio.file.Path;

/** Jobs and their ends as text, for the way to a child process and back. Both sides are the same program, so nothing is optional. */
final class SubPathJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    private SubPathJson() {}

    static String write(SubPathJob job) {
        ObjectNode json = JSON.createObjectNode();
        json.put("root", job.root().toString());
        json.put("subPath", job.subPath());
        json.put("target", job.target().toString());
        json.put("access", job.access().name());
        return json.toString();
    }

    static SubPathJob readJob(String text) throws JsonProcessingException {
        JsonNode json = JSON.readTree(text);
        return new SubPathJob(
                Path.of(json.path("root").asText()),
                json.path("subPath").asText(),
                Path.of(json.path("target").asText()),
                Access.valueOf(json.path("access").asText()));
    }

    static String write(End end) {
        return JSON.createObjectNode().put("end", end.name()).toString();
    }

    static String write(SubPathException e) {
        ObjectNode json = JSON.createObjectNode();
        json.put("stage", e.stage().name());
        json.put("reason", e.reason());
        json.put("message", e.getMessage());
        return json.toString();
    }

    static String write(VolumeException e) {
        ObjectNode json = JSON.createObjectNode();
        json.put("stage", Stage.PREPARING.name());
        json.put("reason", e.reason());
        json.put("message", e.getMessage());
        return json.toString();
    }

    /** How the other side ended, or why it failed. */
    static End readEnd(String text) throws JsonProcessingException, SubPathException {
        JsonNode json = JSON.readTree(text);
        if (json.has("end")) {
            return End.valueOf(json.path("end").asText());
        }
        if (json.has("stage")) {
            throw new SubPathException(
                    Stage.valueOf(json.path("stage").asText()),
                    json.path("reason").asText(),
                    json.path("message").asText());
        }
        throw new SubPathException(
                Stage.PREPARING,
                "CommandFailed",
                "Expected the child process to say how it ended, but it said: " + (text.isBlank() ? "nothing" : text));
    }
}
