package dev.mooring.sim;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ControllerErrorsTest {
    @Test
    void controllerErrors_controllerThrows_recordsMessageAndStackTrace() throws Exception {
        Class<?> loop = Class.forName("dev.mooring.control.ControllerLoop");
        Level before = SuppressedLogging.suppress();
        try {
            LoggerFactory.getLogger(loop)
                    .atError()
                    .setCause(new UnsupportedOperationException("injected"))
                    .log("Failed to handle change");
            LoggerFactory.getLogger(loop).warn("Conflict");

            assertThat(ControllerErrors.ofThisProcess().take())
                    .singleElement()
                    .asString()
                    .contains(
                            "Failed to handle change",
                            "UnsupportedOperationException: injected",
                            "ControllerErrorsTest");
            assertThat(ControllerErrors.ofThisProcess().take()).isEmpty();
        } finally {
            SuppressedLogging.restore(before);
        }
    }
}
