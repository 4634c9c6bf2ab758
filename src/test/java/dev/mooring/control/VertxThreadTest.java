package dev.mooring.control;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.Test;

class VertxThreadTest {
    @Test
    void loopExecutor_vertxClosed_ignoresTasks() {
        Vertx vertx = Vertx.vertx();
        Context context = vertx.getOrCreateContext();
        VertxLoopExecutor thread = new VertxLoopExecutor(vertx, context);
        vertx.close().await();

        assertThatCode(() -> thread.execute(() -> {})).doesNotThrowAnyException();
    }
}
