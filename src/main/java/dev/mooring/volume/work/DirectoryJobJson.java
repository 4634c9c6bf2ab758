package dev.mooring.volume.work;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** JSON form of jobs and results, for the child process. Both sides run the same version, so no field is optional. */
final class DirectoryJobJson {
    private DirectoryJobJson() {}

    static String write(DirectoryJob job) {
        ObjectNode json = Json.MAPPER.createObjectNode();
        json.put("action", job.action().name());
        ArrayNode bases = json.putArray("bases");
        job.bases().forEach(each -> bases.add(each.toString()));
        job.creationRoot().ifPresent(home -> json.put("home", home.toString()));
        json.put("target", job.target().toString());
        json.put("volume", job.owner().volume());
        json.put("uid", job.owner().uid());
        json.put("onDelete", job.owner().onDelete().toString());
        job.owner().claim().ifPresent(claim -> json.set("claim", claim.json()));
        json.put("permissions", job.creator().permissions());
        json.put("owner", job.creator().owner());
        json.put("group", job.creator().group());
        return json.toString();
    }

    static DirectoryJob readJob(String text) throws JsonProcessingException, VolumeWorkException {
        JsonNode json = Json.MAPPER.readTree(text);
        List<Path> bases = new ArrayList<>();
        json.path("bases").forEach(each -> bases.add(Path.of(each.asText())));
        return new DirectoryJob(
                DirectoryJob.DirectoryAction.valueOf(json.path("action").asText()),
                bases,
                Optional.ofNullable(json.get("home")).map(home -> Path.of(home.asText())),
                Path.of(json.path("target").asText()),
                new DirectoryJob.DirectoryOwner(
                        json.path("volume").asText(),
                        json.path("uid").asText(),
                        OnDelete.of(json.path("onDelete").asText()),
                        ClaimIdentity.of(json.path("claim"))),
                new VolumeDataCreator.DirectoryCreator(
                        json.path("permissions").asInt(),
                        json.path("owner").asInt(),
                        json.path("group").asInt()));
    }

    static String done(Optional<String> note) {
        ObjectNode json = Json.MAPPER.createObjectNode();
        json.put("done", true);
        note.ifPresent(text -> json.put("note", text));
        return json.toString();
    }

    static String failed(VolumeWorkException e) {
        ObjectNode json = Json.MAPPER.createObjectNode();
        json.put("done", false);
        json.put("reason", e.reason());
        json.put("message", e.getMessage());
        json.put("raw", e.raw());
        return json.toString();
    }

    /** Parses the note of the child; throws its failure. */
    static Optional<String> readResult(String text) throws JsonProcessingException, VolumeWorkException {
        JsonNode json = Json.MAPPER.readTree(text);
        if (!json.isObject()) {
            // A child that died wrote nothing, which the parser would accept.
            throw new JsonParseException(null, "Result of a job must be a JSON object, got: " + text);
        }
        if (!json.path("done").asBoolean(false)) {
            throw new VolumeWorkException(
                    json.path("reason").asText(VolumeWorkException.COMMAND_FAILED),
                    json.path("message").asText("Child process returned no message: " + text),
                    json.path("raw").asText(""));
        }
        return Optional.ofNullable(json.get("note")).map(JsonNode::asText);
    }
}
