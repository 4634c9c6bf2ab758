package dev.mooring.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.tls.PrivateFiles;
import dev.mooring.model.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The server's data directory. Refuses a directory with foreign content, and records the node and machine it belongs
 * to. An existing directory keeps its mode; everything created below it is accessible by the owner only.
 */
public final class DataDirectory {
    /** Name of the log's directory in a data directory. */
    public static final String LOG = "log";

    private static final String NODE_FILE = "node.json";

    /** Files that identify a data directory; the last ones are from versions without {@link #NODE_FILE}. */
    private static final List<String> SIGNS = List.of(NODE_FILE, "log/lock", "pki/ca.pem");

    /** Created by mkfs; a file system with nothing else counts as empty. */
    private static final String LOST_AND_FOUND = "lost+found";

    private static final Path MACHINE_ID = Path.of("/etc/machine-id");
    private static final int NAMED = 3;

    private final Path path;

    private DataDirectory(Path path) {
        this.path = path;
    }

    /**
     * Creates the directory, or checks that it is a data directory.
     *
     * @throws MooringException if it has foreign content
     */
    static DataDirectory open(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            PrivateFiles.makeDirectory(path);
        } else if (SIGNS.stream().noneMatch(sign -> Files.exists(path.resolve(sign)))) {
            requireEmpty(path);
        }
        return new DataDirectory(path);
    }

    private static void requireEmpty(Path path) throws IOException {
        List<String> found;
        try (Stream<Path> entries = Files.list(path)) {
            found = entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> !name.equals(LOST_AND_FOUND))
                    .sorted()
                    .toList();
        }
        if (!found.isEmpty()) {
            throw new MooringException(
                    ExitCode.CONFLICT,
                    path.toAbsolutePath().normalize()
                            + " is neither empty nor a data directory of Mooring: it contains "
                            + String.join(", ", found.subList(0, Math.min(NAMED, found.size())))
                            + (found.size() > NAMED ? " and " + (found.size() - NAMED) + " more" : "")
                            + "; next: specify a separate directory with --data");
        }
    }

    /** Returns this machine's id; empty if it has none. */
    static String machineId() {
        try {
            return Files.readString(MACHINE_ID).strip();
        } catch (IOException e) {
            return ""; // not every container has one
        }
    }

    /**
     * Checks that the directory belongs to this node, and records the node. The caller must hold the lock of the log.
     *
     * @return the previous node, if this node replaces it
     * @throws MooringException if it belongs to another node or machine and {@code identity} does not say how to
     *     continue
     */
    Optional<String> claim(String node, String machineId, Settings.NodeIdentity identity) throws IOException {
        Path file = path.resolve(NODE_FILE);
        JsonNode remembered = Files.exists(file) ? parse(file) : Json.MAPPER.createObjectNode();
        String formerNode = remembered.path("node").asText(node);
        String formerMachine = remembered.path("machineID").asText("");
        boolean otherNode = !formerNode.equals(node);
        boolean otherMachine = !formerMachine.isEmpty() && !machineId.isEmpty() && !formerMachine.equals(machineId);
        if (otherNode && identity != Settings.NodeIdentity.NEW) {
            throw new MooringException(
                    ExitCode.CONFLICT,
                    "The volumes and Pods in " + path + " belong to node " + formerNode + ", but this server"
                            + " would run as node " + node
                            + " (the host was renamed, or --node changed); next: continue"
                            + " as that node with --node " + formerNode + (otherMachine ? " --node-identity adopt" : "")
                            + ", or give it up with --node-identity new: then its Pods are deleted, and its local"
                            + " volumes stay on the disk but cannot be used by Pods of node " + node);
        }
        if (otherMachine && !otherNode && identity != Settings.NodeIdentity.ADOPT) {
            throw new MooringException(
                    ExitCode.CONFLICT,
                    "Node " + node + " in " + path + " ran on machine " + formerMachine
                            + " before, but this is machine " + machineId
                            + "; next: if its disks were moved here or the"
                            + " machine got a new id, continue with --node-identity adopt; if this is a copy, start as"
                            + " another node with --node OTHER --node-identity new, and never run both");
        }
        ObjectNode now = Json.MAPPER.createObjectNode().put("node", node).put("machineID", machineId);
        if (!now.equals(remembered)) {
            PrivateFiles.write(file, now + System.lineSeparator());
        }
        return Optional.of(formerNode).filter(former -> otherNode);
    }

    private static JsonNode parse(Path file) throws IOException {
        try {
            return Json.MAPPER.readTree(Files.readString(file));
        } catch (JsonProcessingException e) {
            throw new MooringException(
                    ExitCode.FAILED,
                    "Cannot read the node's name from " + file
                            + ": it is not JSON; next: restore the file, or remove it if this"
                            + " machine is the one the data belongs to",
                    e);
        }
    }
}
