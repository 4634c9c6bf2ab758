package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Quantity;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Describes one type of volume source: everything that is known about it without access to a machine. Its volume plugin
 * sets it up. Found by {@link java.util.ServiceLoader}, see {@link SourceTypes}; has a public no-argument constructor.
 * Pure, stateless and thread-safe.
 *
 * <p>A {@code spec} is the source itself, such as {@code {"nfs": {"server": …}}}, or an object that has the source among
 * other fields: a volume of a Pod, or the spec of a PersistentVolume.
 */
public interface SourceType {
    /**
     * A command that may repair a failed operation.
     *
     * @param text what it does and where to run it, as an imperative sentence
     * @param arguments the program and its arguments, not quoted
     */
    record RepairCommand(String text, List<String> arguments) {
        public RepairCommand(String text, String... arguments) {
            this(text, List.of(arguments));
        }
    }

    /** Returns the field of the source, such as {@code nfs}. */
    String field();

    /** Returns the Kubernetes name of the volume plugin, such as {@code kubernetes.io/nfs}. */
    String plugin();

    /** Returns whether the spec has a source of this type. */
    default boolean isIn(JsonNode spec) {
        return spec.hasNonNull(field());
    }

    /** Returns a text that each stored object with such a source contains, to skip others without parsing them. */
    default String marker() {
        return '"' + field() + '"';
    }

    /** Returns the name of the plugin in metrics. */
    default String metricsLabel() {
        return plugin();
    }

    /** Returns whether the source can be that of a PersistentVolume. */
    default boolean isPersistent() {
        return provisioner().isPresent();
    }

    /**
     * Returns an error in the source of a PersistentVolume. For types that Kubernetes does not have; the API validates
     * Kubernetes' types with Kubernetes' rules.
     *
     * @param source the value of the field
     */
    default Optional<String> sourceError(JsonNode source) {
        return Optional.empty();
    }

    /** Returns the source of a PersistentVolume as one line, such as {@code nfs nas:/exports/a}. */
    default String summary(JsonNode spec) {
        return field() + " " + spec.path(field()).path("path").asText("");
    }

    /** Returns the kind of server that has the data, as in messages, such as NFS; empty if it is on a node. */
    default Optional<String> serverKind() {
        return Optional.empty();
    }

    /** Returns the server that has the data; "" if it is on a node. */
    default String server(JsonNode spec) {
        return "";
    }

    /** Returns whether only one node can access the data of a volume. */
    default boolean isNodeBound() {
        return serverKind().isEmpty();
    }

    /** Returns whether volumes are block devices: raw, or with a file system that only one node can mount. */
    default boolean isDevice() {
        return false;
    }

    /** Returns whether a node prepares a volume once, before it mounts the volume for single Pods. */
    default boolean isStaged() {
        return isDevice();
    }

    /** Returns whether a volume cannot hold more than its capacity, so that a node must expand it. */
    default boolean enforcesCapacity() {
        return isDevice();
    }

    /** Returns whether the reclaim policy Recycle is supported. */
    default boolean isRecyclable() {
        return false;
    }

    /** Returns whether the node writes the content, so that containers must not. */
    default boolean isReadOnly() {
        return false;
    }

    /** Returns the directory on the node that has the data; "" for none. */
    default String directory(JsonNode spec) {
        return "";
    }

    /** Returns the file on the node that is the content of the device; "" for none. */
    default String image(JsonNode spec) {
        return "";
    }

    /** Returns the size of an inline volume of a Pod; empty if it has no limit. */
    default Optional<Quantity> inlineCapacity(JsonNode spec, Pod pod) {
        return Optional.empty();
    }

    /**
     * Returns whether a mounted volume of mode Filesystem is a mount point.
     *
     * @param devicePath of its device; "" for none
     * @param mounted the path that containers get
     */
    default MountPoint mountPoint(JsonNode spec, String devicePath, Path mounted) {
        return serverKind().isPresent() ? MountPoint.REMOTE : isDevice() ? MountPoint.LOCAL : MountPoint.NONE;
    }

    /** Returns Mooring's provisioner of such volumes, such as {@code mooring.dev/nfs}. */
    default Optional<String> provisioner() {
        return Optional.empty();
    }

    /** Returns the class parameters of the provisioner, with the validation of their values. */
    default Map<String, Function<String, Optional<String>>> parameters() {
        return Map.of();
    }

    /** Returns whether a class of the provisioner may have mount options. */
    default boolean takesMountOptions() {
        return false;
    }

    /**
     * Returns the source that the provisioner creates for an operation; empty if the location is unknown.
     *
     * @param parameters of the class, with the server's defaults
     * @param base directory on the node for new volumes; empty if unknown
     */
    default Optional<ObjectNode> provisioned(
            VolumeOperation operation, ClassParameters parameters, Optional<String> base) {
        return Optional.empty();
    }

    /** Returns why {@link #provisioned} has no result; empty if the reason is that the base is unknown. */
    default Optional<String> unknownLocationReason() {
        return Optional.empty();
    }

    /** Returns whether the class parameters alone determine the location, so that every node finds the data. */
    default boolean isLocatedBy(ClassParameters parameters) {
        return false;
    }

    /** Returns the server on which the provisioner creates volumes of a class; empty if the class does not name it. */
    default Optional<String> provisioningServer(Map<String, String> parameters) {
        return Optional.empty();
    }

    /**
     * Returns the command for a user when an operation on such a volume fails.
     *
     * @param reason of the failure, such as {@code NotFound}
     */
    default Optional<RepairCommand> repair(String reason, JsonNode spec) {
        String directory = directory(spec);
        return reason.equals("NotFound") && !directory.isEmpty()
                ? Optional.of(new RepairCommand("Create the directory on the node.", "mkdir", "-p", directory))
                : Optional.empty();
    }
}
