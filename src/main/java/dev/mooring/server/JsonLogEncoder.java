package dev.mooring.server;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.slf4j.event.KeyValuePair;

/**
 * Encodes log events as JSON, one object per line with {@code ts, level, logger, thread, msg}, the key-value pairs
 * under {@code kv} (so that no pair can shadow a field) and {@code exception}. Stateless and thread-safe.
 */
final class JsonLogEncoder extends EncoderBase<ILoggingEvent> {
    private static final byte[] NOTHING = {};
    private static final JsonFactory JSON = new JsonFactory();

    @Override
    public byte[] encode(ILoggingEvent event) {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        try (JsonGenerator json = JSON.createGenerator(line)) {
            json.writeStartObject();
            json.writeStringField(
                    "ts", Instant.ofEpochMilli(event.getTimeStamp()).toString());
            json.writeStringField("level", event.getLevel().toString());
            json.writeStringField("logger", event.getLoggerName());
            json.writeStringField("thread", event.getThreadName());
            json.writeStringField("msg", event.getFormattedMessage());
            writePairs(json, event);
            if (event.getThrowableProxy() != null) {
                json.writeStringField("exception", ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
            json.writeEndObject();
            json.writeRaw('\n');
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot encode a log line in memory", e);
        }
        return line.toByteArray();
    }

    private static void writePairs(JsonGenerator json, ILoggingEvent event) throws IOException {
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        Map<String, String> context = event.getMDCPropertyMap();
        if ((pairs == null || pairs.isEmpty()) && context.isEmpty()) {
            return;
        }
        json.writeObjectFieldStart("kv");
        for (Map.Entry<String, String> entry : context.entrySet()) {
            json.writeStringField(entry.getKey(), entry.getValue());
        }
        if (pairs != null) {
            for (KeyValuePair pair : pairs) {
                json.writeFieldName(pair.key);
                writeValue(json, pair.value);
            }
        }
        json.writeEndObject();
    }

    private static void writeValue(JsonGenerator json, Object value) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Integer || value instanceof Long) {
            json.writeNumber(((Number) value).longValue());
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Double number && Double.isFinite(number)) {
            json.writeNumber(number);
        } else {
            json.writeString(value.toString());
        }
    }

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }
}
