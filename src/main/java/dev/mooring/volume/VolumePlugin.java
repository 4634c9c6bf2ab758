package dev.mooring.volume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Makes volumes of one kind appear for Pods and disappear again.
 *
 * <p>All that has effects blocks its thread, may be interrupted, and can be done again: what is there already, and is right, is success.
 * One that throws has cleaned up, or says that it has not. Nothing is ever deleted that is not Mooring's own. Several threads at once, but
 * never two for one volume and Pod, and for {@link DevicePlugin}s never two for one volume.
 */
public interface VolumePlugin {
    /** As Kubernetes calls it: {@code kubernetes.io/nfs}. Directories carry it with ~ in place of /. */
    String name();

    /** Whether it knows such volumes. */
    boolean supports(JsonNode source);

    /**
     * What tells one volume from another, if all Pods of a node share it; nothing if each Pod has its own.
     *
     * @param name of the PersistentVolume
     */
    default Optional<String> sharedIdentity(String name, JsonNode source) {
        return Optional.empty();
    }

    /** What its operations wait for together: one of a dead server must not keep others waiting. */
    default Lane lane(VolumeSpec volume) {
        return Lane.LOCAL;
    }

    /** Which mount options it takes; a refusal in words that name the option, or nothing. */
    default Optional<String> refusal(List<String> mountOptions) {
        return mountOptions.isEmpty()
                ? Optional.empty()
                : Optional.of("unsupported volume type: " + name() + " takes no mountOptions");
    }

    /** The objects it is made of, such as ConfigMaps: a change of one is a reason to set it up again. */
    default Set<ObjectKey> madeOf(JsonNode source, String namespace) {
        return Set.of();
    }

    /** Changes when what the volume shows should change; "" if that never happens. Missing objects are no error here. */
    default String contentVersion(JsonNode source, ObjectNode pod, ObjectLookup objects) {
        return "";
    }

    /** Makes it appear, or brings what it shows up to date. */
    SetUpDone setUp(SetUp what, Progress progress) throws VolumeException, InterruptedException;

    /** Makes it disappear. What is not there any more has disappeared. */
    void tearDown(TearDown what, Progress progress) throws VolumeException, InterruptedException;
}
