package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.StorageNames;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mooring adopt}: makes a claim of existing data, without copying it. */
@Command(
        name = "adopt",
        description = "Make a claim of a local Docker volume or a directory of this machine. Its data is not copied.",
        footer = {
            "",
            "Examples:",
            "  mooring adopt docker-volume/shop_db --size 10Gi",
            "  mooring adopt /srv/db --claim db"
        })
final class AdoptCommand implements Callable<Integer> {
    private static final String DOCKER_VOLUME = "docker-volume/";
    private static final Pattern VOLUME_NAME = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9_.-]*");
    private static final Pattern ADDRESS = Pattern.compile("(?:^|,)addr=([^,]+)");

    private final ProcessEnvironment environment;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ServerOption server;

    @Parameters(paramLabel = "SOURCE", description = "docker-volume/NAME, or the absolute path of a directory.")
    private String source;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Namespace of the claim (default: ${DEFAULT-VALUE}).",
            defaultValue = "default")
    private String namespace;

    @Option(names = "--claim", paramLabel = "NAME", description = "Name of the claim (default: from the source).")
    private String claim;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            description = "Capacity that the claim states; nothing enforces it (default: ${DEFAULT-VALUE}).",
            defaultValue = "1Gi")
    private String size;

    @Option(names = "--node", paramLabel = "NODE", description = "Node of the data (default: the only node).")
    private String node;

    AdoptCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        checkSize();
        ApiClient client = ServerOption.client(server.access(environment.environment()));
        ObjectNode volumeSource = source.startsWith(DOCKER_VOLUME)
                ? dockerVolume(source.substring(DOCKER_VOLUME.length()))
                : directory(source);
        String name = TokenCommand.requireName(claim == null ? nameOfSource() : claim, spec);
        String claims = "/api/v1/namespaces/" + TokenCommand.requireName(namespace, spec) + "/persistentvolumeclaims";
        String volume = namespace + '-' + name;
        ObjectNode persistentVolume = persistentVolume(volume, name, volumeSource, client);
        client.create("/api/v1/persistentvolumes", persistentVolume);
        try {
            client.create(claims, persistentVolumeClaim(volume, name));
        } catch (MooringException e) {
            client.delete("/api/v1/persistentvolumes/" + volume);
            throw e;
        }
        environment
                .out()
                .println("persistentvolume/" + volume + " and persistentvolumeclaim/" + name + " created in namespace "
                        + namespace + ". The data stays where it is; deleting the claim keeps it.");
        environment.out().print("""
            Use it in compose, with the same data:
              volumes:
                %s:
                  driver: mooring
                  driver_opts: {claim: %s, namespace: %s}
            """.formatted(name, name, namespace));
        return ExitCode.OK.number();
    }

    private void checkSize() {
        try {
            Quantity.parse(size);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(), "--size must be a quantity such as 10Gi, got \"" + size + '"');
        }
    }

    private String nameOfSource() {
        String last = source.replaceAll("/+$", "");
        return last.substring(last.lastIndexOf('/') + 1)
                .toLowerCase(Locale.ROOT)
                .replace('_', '-');
    }

    private ObjectNode directory(String path) {
        Path directory = Path.of(path);
        if (!directory.isAbsolute() || !directory.normalize().equals(directory)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "SOURCE must be docker-volume/NAME or an absolute path without \"..\", got \"" + path + '"');
        }
        if (!Files.isDirectory(directory)) {
            throw new MooringException(
                    ExitCode.NOT_FOUND, "Cannot adopt " + path + ": it is not a directory of this machine");
        }
        ObjectNode hostPath = JsonNodeFactory.instance.objectNode();
        hostPath.putObject("hostPath").put("path", path).put("type", "Directory");
        return hostPath;
    }

    /** Returns the source of a volume of Docker's own driver: a directory, or an NFS export. */
    private ObjectNode dockerVolume(String name) throws IOException, InterruptedException {
        if (!VOLUME_NAME.matcher(name).matches()) {
            throw new ParameterException(spec.commandLine(), "\"" + name + "\" is not a name of a Docker volume");
        }
        JsonNode volume =
                Json.MAPPER.readTree(docker("volume", "inspect", name)).path(0);
        String driver = volume.path("Driver").asText("");
        if (!driver.equals("local")) {
            throw new MooringException(
                    ExitCode.CONFLICT,
                    "Cannot adopt Docker volume " + name + ": its driver is " + driver + ", not local");
        }
        String users = docker("ps", "--filter", "volume=" + name, "--format", "{{.Names}}")
                .strip();
        if (!users.isEmpty()) {
            throw new MooringException(
                    ExitCode.CONFLICT,
                    "Cannot adopt Docker volume " + name + ": it is in use by " + String.join(", ", users.split("\\R"))
                            + "; stop these containers first");
        }
        JsonNode options = volume.path("Options");
        String type = options.path("type").asText("");
        if (type.startsWith("nfs")) {
            return nfs(name, options);
        }
        if (!options.isEmpty()) {
            throw new MooringException(
                    ExitCode.CONFLICT,
                    "Cannot adopt Docker volume " + name + ": it has mount options (" + options
                            + "); adopt its directory");
        }
        return directory(volume.path("Mountpoint").asText(""));
    }

    private static ObjectNode nfs(String name, JsonNode options) {
        Matcher address = ADDRESS.matcher(options.path("o").asText(""));
        String device = options.path("device").asText("");
        if (!address.find() || !device.contains(":/")) {
            throw new MooringException(
                    ExitCode.CONFLICT,
                    "Cannot adopt Docker volume " + name
                            + ": expected the options o=addr=SERVER and device=:/PATH, got " + options);
        }
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("nfs").put("server", address.group(1)).put("path", device.substring(device.indexOf(":/") + 1));
        return source;
    }

    private String docker(String... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("docker"));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new MooringException(
                    ExitCode.FAILED, "Cannot adopt " + source + ": " + String.join(" ", command) + " failed");
        }
        return output;
    }

    private ObjectNode persistentVolume(String volume, String name, ObjectNode volumeSource, ApiClient client) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", "v1").put("kind", "PersistentVolume");
        object.putObject("metadata").put("name", volume);
        ObjectNode volumeSpec = object.putObject("spec");
        volumeSpec.setAll(volumeSource);
        volumeSpec.put("storageClassName", "").put("persistentVolumeReclaimPolicy", "Retain");
        volumeSpec.putObject("capacity").put("storage", size);
        volumeSpec.putArray("accessModes").add("ReadWriteOnce").add("ReadWriteMany");
        volumeSpec.putObject("claimRef").put("namespace", namespace).put("name", name);
        if (volumeSource.has("hostPath")) {
            volumeSpec
                    .putObject("nodeAffinity")
                    .putObject("required")
                    .putArray("nodeSelectorTerms")
                    .addObject()
                    .putArray("matchExpressions")
                    .addObject()
                    .put("key", StorageNames.HOST_NAME)
                    .put("operator", "In")
                    .putArray("values")
                    .add(hostName(client));
        }
        return object;
    }

    private String hostName(ApiClient client) {
        List<ObjectNode> nodes = client.list("/api/v1/nodes").stream()
                .filter(each ->
                        node == null || each.at("/metadata/name").asText().equals(node))
                .toList();
        if (nodes.size() != 1) {
            throw new MooringException(
                    ExitCode.NOT_FOUND,
                    "Cannot adopt " + source + ": "
                            + (nodes.isEmpty() ? "there is no such node" : "there are several nodes")
                            + "; name the node of the data with --node");
        }
        return nodes.get(0)
                .path("metadata")
                .path("labels")
                .path(StorageNames.HOST_NAME)
                .asText();
    }

    private ObjectNode persistentVolumeClaim(String volume, String name) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
        object.putObject("metadata").put("name", name).put("namespace", namespace);
        ObjectNode claimSpec = object.putObject("spec");
        claimSpec.put("storageClassName", "").put("volumeName", volume);
        claimSpec.putArray("accessModes").add("ReadWriteOnce");
        claimSpec.putObject("resources").putObject("requests").put("storage", size);
        return object;
    }
}
