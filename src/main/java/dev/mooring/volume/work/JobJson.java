package dev.mooring.volume.work;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Jobs and their ends as text, for the way to a child process and back. Both sides are the same program, so nothing is optional. */
final class JobJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JobJson() {}

    static String write(DirectoryJob job) {
        ObjectNode json = JSON.createObjectNode();
        json.put("action", job.action().name());
        ArrayNode bases = json.putArray("bases");
        job.bases().forEach(each -> bases.add(each.toString()));
        job.home().ifPresent(home -> json.put("home", home.toString()));
        json.put("target", job.target().toString());
        json.put("volume", job.owner().volume());
        json.put("uid", job.owner().uid());
        json.put("onDelete", job.owner().onDelete().toString());
        json.put("permissions", job.making().permissions());
        json.put("owner", job.making().owner());
        json.put("group", job.making().group());
        return json.toString();
    }

    static DirectoryJob readJob(String text) throws JsonProcessingException, VolumeWorkException {
        JsonNode json = JSON.readTree(text);
        List<Path> bases = new ArrayList<>();
        json.path("bases").forEach(each -> bases.add(Path.of(each.asText())));
        return new DirectoryJob(
                DirectoryJob.Action.valueOf(json.path("action").asText()),
                bases,
                Optional.ofNullable(json.get("home")).map(home -> Path.of(home.asText())),
                Path.of(json.path("target").asText()),
                new DirectoryJob.Owner(
                        json.path("volume").asText(),
                        json.path("uid").asText(),
                        OnDelete.of(json.path("onDelete").asText())),
                new Making.OfDirectory(
                        json.path("permissions").asInt(),
                        json.path("owner").asInt(),
                        json.path("group").asInt()));
    }

    static String done(Optional<String> note) {
        ObjectNode json = JSON.createObjectNode();
        json.put("done", true);
        note.ifPresent(text -> json.put("note", text));
        return json.toString();
    }

    static String failed(VolumeWorkException e) {
        ObjectNode json = JSON.createObjectNode();
        json.put("done", false);
        json.put("reason", e.reason());
        json.put("message", e.getMessage());
        json.put("raw", e.raw());
        return json.toString();
    }

    /** The note, or the failure of the other side. */
    static Optional<String> readEnd(String text) throws JsonProcessingException, VolumeWorkException {
        JsonNode json = JSON.readTree(text);
        if (!json.isObject()) {
            // Of a process that died there is nothing, which would pass for JSON.
            throw new JsonParseException(null, "Expected how a job ended, but found: " + text);
        }
        if (!json.path("done").asBoolean(false)) {
            throw new VolumeWorkException(
                    json.path("reason").asText(VolumeWorkException.COMMAND_FAILED),
                    json.path("message").asText("Expected an answer of the child process, but found: " + text),
                    json.path("raw").asText(""));
        }
        return Optional.ofNullable(json.get("note")).map(JsonNode::asText);
    }
}
