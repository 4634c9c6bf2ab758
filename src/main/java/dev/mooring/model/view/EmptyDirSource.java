package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Quantity;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** The source type {@code emptyDir}: a directory of the Pod, on disk or in memory. */
public final class EmptyDirSource implements SourceType {
    private static final String MEMORY = "memory";
    private static final String STORAGE = "ephemeral-storage";

    @Override
    public String field() {
        return "emptyDir";
    }

    @Override
    public String plugin() {
        return "kubernetes.io/empty-dir";
    }

    @Override
    public MountPoint mountPoint(JsonNode spec, String devicePath, Path mounted) {
        return isInMemory(spec) ? MountPoint.LOCAL : MountPoint.NONE;
    }

    private boolean isInMemory(JsonNode spec) {
        return spec.path(field()).path("medium").asText("").equals("Memory");
    }

    /**
     * Returns the lower of its own limit and its Pod's. On disk the Pod's ephemeral-storage limit counts, in memory its
     * memory limit, which exists only if all containers have one.
     */
    @Override
    public Optional<Quantity> inlineCapacity(JsonNode spec, Pod pod) {
        Optional<Quantity> own = positive(spec.path(field()).path("sizeLimit"));
        Optional<Quantity> pods = isInMemory(spec) ? memory(pod) : sum(pod, STORAGE);
        return Stream.of(own, pods).flatMap(Optional::stream).min(Quantity::compareTo);
    }

    private static Optional<Quantity> memory(Pod pod) {
        if (ofPod(pod, MEMORY).isPresent()) {
            return ofPod(pod, MEMORY);
        }
        for (JsonNode container : pod.spec().path("containers")) {
            if (limit(container, MEMORY).isEmpty()) {
                return Optional.empty();
            }
        }
        return sum(pod, MEMORY);
    }

    /** Returns the sum of all containers and sidecars, or the limit of an init container if that is higher. */
    private static Optional<Quantity> sum(Pod pod, String resource) {
        Optional<Quantity> whole = ofPod(pod, resource);
        if (whole.isPresent()) {
            return whole;
        }
        Quantity sum = Quantity.ofBytes(0);
        for (JsonNode container : pod.spec().path("containers")) {
            sum = sum.plus(limit(container, resource).orElse(Quantity.ZERO));
        }
        Quantity most = Quantity.ZERO;
        Quantity sidecars = Quantity.ofBytes(0);
        for (JsonNode container : pod.spec().path("initContainers")) {
            Quantity limit = limit(container, resource).orElse(Quantity.ZERO);
            boolean stays = container.path("restartPolicy").asText("").equals("Always");
            if (stays) {
                sidecars = sidecars.plus(limit);
            }
            Quantity then = stays ? sidecars : sidecars.plus(limit);
            most = most.compareTo(then) >= 0 ? most : then;
        }
        sum = sum.plus(sidecars);
        Quantity all = sum.compareTo(most) >= 0 ? sum : most;
        return Optional.of(all).filter(limit -> limit.signum() > 0);
    }

    private static Optional<Quantity> ofPod(Pod pod, String resource) {
        return limit(pod.spec(), resource);
    }

    private static Optional<Quantity> limit(JsonNode holder, String resource) {
        return positive(holder.path("resources").path("limits").path(resource));
    }

    private static Optional<Quantity> positive(JsonNode value) {
        if (!value.isTextual() && !value.isNumber()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Quantity.parse(value.asText())).filter(each -> each.signum() > 0);
        } catch (Quantity.MalformedException e) {
            return Optional.empty();
        }
    }
}
