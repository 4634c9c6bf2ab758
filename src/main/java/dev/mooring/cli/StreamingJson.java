package dev.mooring.cli;

import io.vertx.core.json.jackson.JacksonCodec;
import io.vertx.core.spi.JsonFactory;
import io.vertx.core.spi.json.JsonCodec;

/**
 * Has Vert.x read and write its JSON objects with Jackson's streaming core, although databind is there, too: nobody maps them to
 * Java beans, and loading databind would cost a tenth of the start-up time. Found by the service loader.
 */
public final class StreamingJson implements JsonFactory {
    /** Before Vert.x' own. */
    @Override
    public int order() {
        return 0;
    }

    @Override
    public JsonCodec codec() {
        return new JacksonCodec();
    }
}
