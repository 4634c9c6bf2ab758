package dev.mooring.cli;

import io.vertx.core.json.jackson.JacksonCodec;
import io.vertx.core.spi.JsonFactory;
import io.vertx.core.spi.json.JsonCodec;

/**
 * Makes Vert.x use Jackson's streaming core for its JSON objects, although databind is on the class path: databind is
 * not needed there and would add a tenth to the start-up time. Found by the service loader.
 */
public final class StreamingJson implements JsonFactory {
    /** Takes precedence over Vert.x' own factory. */
    @Override
    public int order() {
        return 0;
    }

    @Override
    public JsonCodec codec() {
        return new JacksonCodec();
    }
}
