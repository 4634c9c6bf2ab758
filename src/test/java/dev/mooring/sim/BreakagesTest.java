package dev.mooring.sim;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class BreakagesTest {
    @Test
    void hearsOfAControllerThatThrewSomething() throws Exception {
        Class<?> loop = Class.forName("dev.mooring.control.ControllerLoop");
        Level before = Quiet.please();
        try {
            LoggerFactory.getLogger(loop)
                    .atError()
                    .setCause(new UnsupportedOperationException("planted"))
                    .log("Expected to follow a change, but failed");
            LoggerFactory.getLogger(loop).warn("A lost race");

            assertThat(Breakages.ofThisProcess().take())
                    .singleElement()
                    .asString()
                    .contains("Expected to follow a change", "UnsupportedOperationException: planted", "BreakagesTest");
            assertThat(Breakages.ofThisProcess().take()).isEmpty();
        } finally {
            Quiet.noMore(before);
        }
    }
}
