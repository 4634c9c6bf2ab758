package dev.mooring.api.table;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import java.io.IOException;

/** JSON into a buffer that grows, with a way to put ready-made bytes in between. Confined to the thread that makes it. */
final class JsonOut implements AutoCloseable {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final SerializedString NOTHING = new SerializedString("");

    private final ByteArrayBuilder buffer = new ByteArrayBuilder(4096);
    private final JsonGenerator json;

    JsonOut() throws IOException {
        json = FACTORY.createGenerator(buffer);
    }

    JsonGenerator json() {
        return json;
    }

    /** Writes the stored object as the next value, byte for byte. */
    void whole(StoredObject object) throws IOException {
        // An empty raw value makes the generator write the comma or colon that is due; the bytes then go past it.
        json.writeRawValue(NOTHING);
        json.flush();
        object.writeTo(buffer);
    }

    /** Writes the next value: an object with only kind, apiVersion and the metadata of the stored one. */
    void metadataOnly(SerializedString upToMetadata, StoredObject object) throws IOException {
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
