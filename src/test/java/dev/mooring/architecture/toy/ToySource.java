package dev.mooring.architecture.toy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.ClassParameters;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.VolumeOperation;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The source type of the toy plugin: a box on a toy server. */
public final class ToySource implements SourceType {
    static final String PLUGIN = "example.com/toy";
    static final String PROVISIONER = "mooring.dev/toy";
    static final String SERVER = "shelf";

    @Override
    public String field() {
        return "toy";
    }

    @Override
    public String plugin() {
        return PLUGIN;
    }

    @Override
    public Optional<String> sourceError(JsonNode source) {
        return source.path("box").asText("").isEmpty() ? Optional.of("must have a box") : Optional.empty();
    }

    @Override
    public Optional<String> serverKind() {
        return Optional.of("Toy");
    }

    @Override
    public String server(JsonNode spec) {
        return spec.path(field()).path("server").asText("");
    }

    @Override
    public Optional<String> provisioner() {
        return Optional.of(PROVISIONER);
    }

    @Override
    public Map<String, Function<String, Optional<String>>> parameters() {
        return Map.of("colour", value -> value.equals("red") ? Optional.empty() : Optional.of("must be red"));
    }

    @Override
    public Optional<ObjectNode> provisioned(
            VolumeOperation operation, ClassParameters parameters, Optional<String> base) {
        return Optional.of(source(operation.volumeUid()));
    }

    static ObjectNode source(String box) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("toy").put("server", SERVER).put("box", box);
        return source;
    }
}
