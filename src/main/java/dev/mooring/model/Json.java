package dev.mooring.model;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;

/** The program's JSON mappers. Thread-safe, because they are shared and must not be reconfigured. */
public final class Json {
    /** Jackson's defaults; for stored objects, the container engine's responses and our own files. */
    public static final ObjectMapper MAPPER = new ObjectMapper();

    /** Rejects text after the first value; for JSON inside fields that clients write. */
    public static final ObjectMapper SINGLE_VALUE =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    /** Writes only ASCII, because other characters can move a terminal's cursor, or end a line for some readers. */
    public static final ObjectMapper ASCII = new ObjectMapper(
            JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build());

    private Json() {}
}
