package dev.mooring.volume.content;

import dev.mooring.volume.VolumeException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Combines several errors into one message in Kubernetes' form, {@code [first, second]}, without duplicates. Stateless.
 */
final class AggregateErrors {
    private AggregateErrors() {}

    static void throwIfAny(List<VolumeException> problems) throws VolumeException {
        if (problems.isEmpty()) {
            return;
        }
        Set<String> messages = new LinkedHashSet<>();
        problems.forEach(each -> messages.add(each.getMessage()));
        if (messages.size() == 1) {
            throw problems.get(0);
        }
        throw VolumeException.clean(problems.get(0).reason(), "[" + String.join(", ", messages) + "]");
    }
}
