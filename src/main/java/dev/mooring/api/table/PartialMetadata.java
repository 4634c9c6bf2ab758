package dev.mooring.api.table;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Objects with nothing but their metadata, for clients that want no more: PartialObjectMetadata and its list. Stateless; any thread. */
public final class PartialMetadata {
    private static final SerializedString V1 = prefix(MetaVersion.V1);
    private static final SerializedString V1BETA1 = prefix(MetaVersion.V1BETA1);

    private PartialMetadata() {}

    /** @param object JSON as stored */
    public static byte[] one(byte[] object, MetaVersion version) {
        try (JsonOut out = new JsonOut()) {
            out.metadataOnly(upToMetadata(version), StoredObject.scan(object));
            return out.toBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("Expected writing to memory to work, but it did not", e);
        }
    }

    /** @param objects JSON as stored */
    public static byte[] list(Iterable<byte[]> objects, ListMeta meta, MetaVersion version) {
        try (JsonOut out = new JsonOut()) {
            JsonGenerator json = out.json();
            json.writeStartObject();
            json.writeStringField("kind", "PartialObjectMetadataList");
            json.writeStringField("apiVersion", version.apiVersion());
            meta.write(json);
            json.writeArrayFieldStart("items");
            for (byte[] object : objects) {
                out.metadataOnly(upToMetadata(version), StoredObject.scan(object));
            }
            json.writeEndArray();
            json.writeEndObject();
            return out.toBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("Expected writing to memory to work, but it did not", e);
        }
    }

    static SerializedString upToMetadata(MetaVersion version) {
        return version == MetaVersion.V1 ? V1 : V1BETA1;
    }

    private static SerializedString prefix(MetaVersion version) {
        return new SerializedString(
                "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"" + version.apiVersion() + "\",\"metadata\":");
    }
}
