package dev.mooring.volume.content;

import dev.mooring.volume.VolumeException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Creates payloads from short text. */
final class PayloadFixture {
    private PayloadFixture() {}

    /** Creates a payload of files {@code "path=text"} or {@code "path:600=text"}. */
    static Payload payload(String... files) throws VolumeException {
        Map<String, ContentFile> all = new LinkedHashMap<>();
        for (String each : files) {
            String[] parts = each.split("=", 2);
            String[] path = parts[0].split(":", 2);
            int mode = path.length == 1 ? 0644 : Integer.parseInt(path[1], 8);
            String text = parts.length == 1 ? "" : parts[1];
            all.put(path[0], new ContentFile(text.getBytes(StandardCharsets.UTF_8), mode));
        }
        return Payload.of(all);
    }
}
