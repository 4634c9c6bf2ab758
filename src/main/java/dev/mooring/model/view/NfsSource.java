package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** The source type {@code nfs}: an export of an NFS server. */
public final class NfsSource implements SourceType {
    public static final String PROVISIONER = "mooring.dev/nfs";

    @Override
    public String field() {
        return "nfs";
    }

    @Override
    public String plugin() {
        return "kubernetes.io/nfs";
    }

    @Override
    public String summary(JsonNode spec) {
        return field() + " " + server(spec) + ":"
                + spec.path(field()).path("path").asText("");
    }

    @Override
    public Optional<String> serverKind() {
        return Optional.of("NFS");
    }

    @Override
    public String server(JsonNode spec) {
        return spec.path(field()).path("server").asText("");
    }

    @Override
    public boolean isRecyclable() {
        return true;
    }

    @Override
    public Optional<String> provisioner() {
        return Optional.of(PROVISIONER);
    }

    @Override
    public Map<String, Function<String, Optional<String>>> parameters() {
        Map<String, Function<String, Optional<String>>> parameters = new TreeMap<>(ClassParameters.ofDirectories());
        parameters.put(ClassParameters.SERVER, ParameterChecks::host);
        parameters.put(ClassParameters.SHARE, ParameterChecks::share);
        parameters.put(ClassParameters.SUB_DIR, ParameterChecks::pattern);
        parameters.put(ClassParameters.MOUNT_PERMISSIONS, ParameterChecks::mode);
        return parameters;
    }

    @Override
    public boolean takesMountOptions() {
        return true;
    }

    @Override
    public Optional<ObjectNode> provisioned(
            VolumeOperation operation, ClassParameters parameters, Optional<String> base) {
        return parameters.server().filter(server -> !server.isEmpty()).map(server -> {
            ObjectNode source = JsonNodeFactory.instance.objectNode();
            source.putObject(field())
                    .put("server", server)
                    .put("path", operation.pathBelow(parameters.share().orElse("/")));
            return source;
        });
    }

    @Override
    public Optional<String> unknownLocationReason() {
        return Optional.of(
                "no NFS server is known: name server and share in the parameters of the class, or set nfs.server");
    }

    @Override
    public boolean isLocatedBy(ClassParameters parameters) {
        return parameters.server().isPresent() && parameters.share().isPresent();
    }

    @Override
    public Optional<String> provisioningServer(Map<String, String> parameters) {
        return Optional.ofNullable(parameters.get(ClassParameters.SERVER));
    }

    @Override
    public Optional<RepairCommand> repair(String reason, JsonNode spec) {
        String server = server(spec);
        return Optional.ofNullable(
                switch (reason) {
                    case "ServerRefused" ->
                        new RepairCommand(
                                "Start the NFS server on machine " + server + ".", "systemctl", "start", "nfs-server");
                    case "ServerUnreachable" ->
                        new RepairCommand(
                                "Start the NFS server on machine " + server
                                        + " (systemctl start nfs-server), or correct the address in nfs.server; check"
                                        + " on the node whether it responds.",
                                "rpcinfo",
                                "-p",
                                server);
                    case "TooSlow" ->
                        new RepairCommand("Check on the node whether the server responds.", "rpcinfo", "-p", server);
                    case "UnknownHost" ->
                        new RepairCommand("Check on the node whether the name resolves.", "getent", "hosts", server);
                    case "ExportNotFound", "NotADirectory" ->
                        new RepairCommand("List the exports of the server.", "showmount", "-e", server);
                    case "AccessDenied" ->
                        new RepairCommand(
                                "List on machine " + server + " which clients it permits, then add the node.",
                                "exportfs",
                                "-v");
                    case "StaleFileHandle", "StaleHandle" ->
                        new RepairCommand("Export the directories again on machine " + server + ".", "exportfs", "-ra");
                    case "ProgramMissing" ->
                        new RepairCommand(
                                "Install mount.nfs on the node (Fedora, Red Hat: nfs-utils).",
                                "apt-get",
                                "install",
                                "nfs-common");
                    case "NoNfsInKernel" -> new RepairCommand("Load the NFS client on the node.", "modprobe", "nfs");
                    case "LockingNotAvailable" ->
                        new RepairCommand("Start rpc.statd on the node.", "systemctl", "start", "rpc-statd");
                    default -> null;
                });
    }
}
