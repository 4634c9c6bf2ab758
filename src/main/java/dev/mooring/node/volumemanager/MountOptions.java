package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Volume;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Collects mount options without duplicates. Pure. */
final class MountOptions {
    /** Annotation of a PersistentVolume that predates the field and takes precedence over it. */
    private static final String BETA = "volume.beta.kubernetes.io/mount-options";

    private MountOptions() {}

    static List<String> of(Volume volume) {
        Optional<String> annotated = volume.annotation(BETA);
        return annotated.isPresent()
                ? split(annotated.get())
                : texts(volume.spec().path("mountOptions"));
    }

    /** Splits at commas and drops empty parts. */
    static List<String> split(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(String::trim)
                .filter(each -> !each.isEmpty())
                .distinct()
                .toList();
    }

    static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(each -> texts.add(each.asText("")));
        return texts.stream().distinct().toList();
    }
}
