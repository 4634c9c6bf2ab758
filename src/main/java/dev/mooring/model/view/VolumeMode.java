package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;

/** What a container gets: a directory or a device. */
public enum VolumeMode {
    FILESYSTEM("Filesystem"),
    BLOCK("Block");

    private final String text;

    VolumeMode(String text) {
        this.text = text;
    }

    /** What is not said is a file system. */
    public static VolumeMode of(JsonNode value) {
        return value.asText("").equals(BLOCK.text) ? BLOCK : FILESYSTEM;
    }

    @Override
    public String toString() {
        return text;
    }
}
