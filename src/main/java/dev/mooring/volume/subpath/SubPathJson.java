package dev.mooring.volume.subpath;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.subpath.SubPathException.SubPathStage;
import dev.mooring.volume.subpath.SubPathJob.SubPathResult;
import java.nio.file.Path;

/** JSON form of jobs and results, for the child process. Both sides run the same version, so no field is optional. */
final class SubPathJson {
    private SubPathJson() {}

    static String write(SubPathJob job) {
        ObjectNode json = Json.MAPPER.createObjectNode();
        json.put("root", job.root().toString());
        json.put("subPath", job.subPath());
        json.put("target", job.target().toString());
        json.put("access", job.access().name());
        return json.toString();
    }

    static SubPathJob readJob(String text) throws JsonProcessingException {
        JsonNode json = Json.MAPPER.readTree(text);
        return new SubPathJob(
                Path.of(json.path("root").asText()),
                json.path("subPath").asText(),
                Path.of(json.path("target").asText()),
                Access.valueOf(json.path("access").asText()));
    }

    static String write(SubPathResult end) {
        return Json.MAPPER.createObjectNode().put("end", end.name()).toString();
    }

    static String write(SubPathException e) {
        ObjectNode json = Json.MAPPER.createObjectNode();
        json.put("stage", e.stage().name());
        json.put("reason", e.reason());
        json.put("message", e.getMessage());
        return json.toString();
    }

    static String write(VolumeException e) {
        ObjectNode json = Json.MAPPER.createObjectNode();
        json.put("stage", SubPathStage.PREPARING.name());
        json.put("reason", e.reason());
        json.put("message", e.getMessage());
        return json.toString();
    }

    /** Parses the result of the child; throws its failure. */
    static SubPathResult readResult(String text) throws JsonProcessingException, SubPathException {
        JsonNode json = Json.MAPPER.readTree(text);
        if (json.has("end")) {
            return SubPathResult.valueOf(json.path("end").asText());
        }
        if (json.has("stage")) {
            throw new SubPathException(
                    SubPathStage.valueOf(json.path("stage").asText()),
                    json.path("reason").asText(),
                    json.path("message").asText());
        }
        throw new SubPathException(
                SubPathStage.PREPARING,
                "CommandFailed",
                "Child process returned no result; its output: " + (text.isBlank() ? "none" : text));
    }
}
