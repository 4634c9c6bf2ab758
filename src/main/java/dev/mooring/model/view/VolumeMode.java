package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;

/** Volume mode: a file system or a block device. */
public enum VolumeMode {
    FILESYSTEM("Filesystem"),
    BLOCK("Block");

    private final String text;

    VolumeMode(String text) {
        this.text = text;
    }

    /** Parses a volume mode; Filesystem if not set. */
    public static VolumeMode of(JsonNode value) {
        return value.asText("").equals(BLOCK.text) ? BLOCK : FILESYSTEM;
    }

    @Override
    public String toString() {
        return text;
    }
}
