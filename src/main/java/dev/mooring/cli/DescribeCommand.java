package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.cli.GetCommand.ObjectArguments;
import dev.mooring.cli.ObjectDescription.RelatedObjects;
import dev.mooring.cli.ObjectNames.NamedObjects;
import dev.mooring.cli.ObjectReader.HistoryMoment;
import dev.mooring.model.view.StorageNames;
import dev.mooring.server.ExitCode;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code mooring describe}: prints an object with the objects that use it, its mounts and its Events, now or at a past
 * moment; all reads of a past moment are of one revision.
 */
@Command(
        name = "describe",
        description = "Describe an object with its users, mounts and Events, now or at a past moment.",
        footer = {"", "  mooring describe pvc/data -n shop", "  mooring describe pod web --at 10m"})
final class DescribeCommand implements Callable<Integer> {
    private final ProcessEnvironment environment;
    private final ObjectNames names;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ServerOption server;

    @Mixin
    private ObjectArguments target;

    DescribeCommand(ProcessEnvironment environment) {
        this.environment = environment;
        this.names = new ObjectNames(environment.clock());
    }

    @Override
    public Integer call() throws IOException {
        NamedObjects named = target.named(environment);
        if (named.name().isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Missing name after the type; expected TYPE/NAME");
        }
        Instant now = environment.clock().instant();
        ObjectReader asked =
                new ObjectReader(ServerOption.client(server.access(environment.environment())), target.at());
        Optional<HistoryMoment> past = asked.isPast() ? Optional.of(asked.moment()) : Optional.empty();
        past.ifPresent(moment -> environment.err().println("# " + moment.describe(now)));
        ObjectReader reader = past.map(asked::at).orElse(asked);
        ObjectNode object = reader.get(named, ObjectReader.JSON);
        Instant shownAt = past.flatMap(HistoryMoment::time).orElse(now);
        environment.out().print(ObjectDescription.of(object, related(reader, named.kind(), object), shownAt));
        return ExitCode.OK.number();
    }

    /** Reads the objects that a description refers to; those that the user may not list are left out. */
    private RelatedObjects related(ObjectReader reader, KindDefinition kind, JsonNode object) {
        String uid = object.at("/metadata/uid").asText();
        Optional<String> namespace =
                Optional.of(object.at("/metadata/namespace").asText()).filter(text -> !text.isEmpty());
        return switch (kind.resource()) {
            case StorageNames.CLAIMS ->
                new RelatedObjects(
                        list(reader, "pods", namespace, ""),
                        List.of(),
                        list(reader, "desiredvolumes", Optional.empty(), ""),
                        list(reader, "actualvolumes", Optional.empty(), ""),
                        events(reader, namespace, uid));
            case StorageNames.CLASSES ->
                new RelatedObjects(
                        List.of(),
                        list(reader, "persistentvolumeclaims", Optional.empty(), ""),
                        List.of(),
                        List.of(),
                        events(reader, namespace, uid));
            case "nodes" ->
                new RelatedObjects(
                        list(
                                reader,
                                "pods",
                                Optional.empty(),
                                "fieldSelector=spec.nodeName%3D"
                                        + object.at("/metadata/name").asText()),
                        List.of(),
                        list(reader, "desiredvolumes", Optional.empty(), onNode(object)),
                        list(reader, "actualvolumes", Optional.empty(), onNode(object)),
                        events(reader, namespace, uid));
            case "pods", StorageNames.VOLUMES, StorageNames.DESIRED_VOLUMES, StorageNames.ACTUAL_VOLUMES ->
                new RelatedObjects(
                        List.of(),
                        List.of(),
                        list(reader, "desiredvolumes", Optional.empty(), onNode(object)),
                        list(reader, "actualvolumes", Optional.empty(), onNode(object)),
                        events(reader, namespace, uid));
            default -> new RelatedObjects(List.of(), List.of(), List.of(), List.of(), events(reader, namespace, uid));
        };
    }

    /** Returns a selector of the volumes on the node of an object; "" if it is on no node. */
    private static String onNode(JsonNode object) {
        String node = object.path("kind").asText().equals("Node")
                ? object.at("/metadata/name").asText()
                : object.at("/spec/nodeName").asText(object.at("/spec/node").asText());
        return node.isEmpty() ? "" : "fieldSelector=spec.node%3D" + node;
    }

    /** Returns the Events of an object; those of cluster-scoped objects are in the namespace default. */
    private List<ObjectNode> events(ObjectReader reader, Optional<String> namespace, String uid) {
        return list(
                reader,
                "events",
                Optional.of(namespace.orElse("default")),
                "fieldSelector=involvedObject.uid%3D" + ObjectReader.encoded(uid));
    }

    private List<ObjectNode> list(ObjectReader reader, String type, Optional<String> namespace, String parameters) {
        return reader.listIfAllowed(new NamedObjects(names.kind(type), namespace, Optional.empty()), parameters);
    }
}
