package dev.mooring.api.table;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes PartialObjectMetadata and its list, for clients that only need metadata. Stateless; thread-safe. */
public final class PartialMetadata {
    private static final SerializedString V1 = prefix(AcceptHeader.MetaVersion.V1);
    private static final SerializedString V1BETA1 = prefix(AcceptHeader.MetaVersion.V1BETA1);

    private PartialMetadata() {}

    /** @param object JSON as stored */
    public static byte[] one(byte[] object, AcceptHeader.MetaVersion version) {
        try (JsonBuffer out = new JsonBuffer()) {
            out.writeMetadataOnly(upToMetadata(version), ParsedObject.scan(object));
            return out.toBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to encode PartialObjectMetadata", e);
        }
    }

    /** @param objects JSON as stored */
    public static ListChunks list(Iterable<byte[]> objects, ListMeta meta, AcceptHeader.MetaVersion version) {
        try (JsonBuffer out = new JsonBuffer()) {
            JsonGenerator json = out.json();
            json.writeStartObject();
            json.writeStringField("kind", "PartialObjectMetadataList");
            json.writeStringField("apiVersion", version.apiVersion());
            meta.write(json);
            json.writeArrayFieldStart("items");
            String start = new String(out.toBytes(), StandardCharsets.UTF_8);
            return new ListChunks(start, objects.iterator(), object -> one(object, version), ",", "]}");
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to encode PartialObjectMetadata", e);
        }
    }

    static SerializedString upToMetadata(AcceptHeader.MetaVersion version) {
        return version == AcceptHeader.MetaVersion.V1 ? V1 : V1BETA1;
    }

    private static SerializedString prefix(AcceptHeader.MetaVersion version) {
        return new SerializedString(
                "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"" + version.apiVersion() + "\",\"metadata\":");
    }
}
