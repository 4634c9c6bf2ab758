package dev.mooring.api.table;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import java.io.IOException;

/** Writes JSON into a growing buffer, and can insert raw bytes. Not thread-safe. */
final class JsonBuffer implements AutoCloseable {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final SerializedString EMPTY = new SerializedString("");

    private final ByteArrayBuilder buffer = new ByteArrayBuilder(4096);
    private final JsonGenerator json;

    JsonBuffer() throws IOException {
        json = FACTORY.createGenerator(buffer);
    }

    JsonGenerator json() {
        return json;
    }

    /** Writes the stored object as the next value, byte for byte. */
    void writeObject(ParsedObject object) throws IOException {
        // An empty raw value makes the generator write the pending comma or colon; the bytes then bypass it.
        json.writeRawValue(EMPTY);
        json.flush();
        object.writeTo(buffer);
    }

    /** Writes the next value: an object with only kind, apiVersion and the metadata of the stored one. */
    void writeMetadataOnly(SerializedString upToMetadata, ParsedObject object) throws IOException {
        json.writeRawValue(upToMetadata);
        json.flush();
        object.writeMetadataTo(buffer);
        json.writeRaw('}');
    }

    byte[] toBytes() throws IOException {
        json.flush();
        return buffer.toByteArray();
    }

    @Override
    public void close() throws IOException {
        json.close();
    }
}
