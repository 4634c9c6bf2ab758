package dev.mooring.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.encoder.Encoder;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class LoggingTest {
    private final LoggerContext context = new LoggerContext();
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    LoggingTest() {
        context.setMDCAdapter(new LogbackMDCAdapter());
    }

    @Test
    void text_containsTimeLevelShortLoggerMessageAndPairs() {
        logger(TextLogEncoder.plain(), "dev.mooring.world.Ledger")
                .atInfo()
                .addKeyValue("revision", 812)
                .addKeyValue("reason", "two words")
                .log("Committed {} events", 3);

        assertThat(text())
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z INFO  world\\.Ledger  "
                        + "Committed 3 events revision=812 reason=\"two words\"\n");
    }

    @Test
    void text_controlCharactersInValues_areEscaped() {
        logger(TextLogEncoder.plain(), "x")
                .atWarn()
                .addKeyValue("name", "a\nb")
                .log("first\n2025 ERROR forged\u001b[2J");

        assertThat(text().lines()).hasSize(1);
        assertThat(text())
                .contains("first\\n2025 ERROR forged\\u001b[2J name=a\\nb")
                .doesNotContain("\u001b");
    }

    @Test
    void text_exception_isPrintedWithStackTrace() {
        logger(TextLogEncoder.plain(), "x").error("failed", new IllegalStateException("because"));

        assertThat(text())
                .contains("java.lang.IllegalStateException: because")
                .contains("at dev.mooring.server.LoggingTest");
    }

    @Test
    void coloredText_resetsEachColor() {
        logger(TextLogEncoder.colored(), "x").error("red");

        assertThat(text()).contains("\u001b[1;31mERROR\u001b[0m").contains("red");
    }

    @Test
    void json_isOneObjectPerLine() {
        Logger logger = logger(new JsonLogEncoder(), "dev.mooring.api.http.ApiVerticle");
        context.getMDCAdapter().put("request", "r1");
        logger.atError()
                .addKeyValue("port", 7443)
                .addKeyValue("msg", "no shadow")
                .addKeyValue("nothing", (Object) null)
                .setCause(new IllegalStateException("line\nbreak"))
                .log("Expected \"quotes\"\nand lines");
        logger.info("second");

        String[] lines = text().split("\n", -1);
        assertThat(lines).hasSize(3).endsWith("");
        JsonObject first = new JsonObject(lines[0]);
        assertThat(Instant.parse(first.getString("ts"))).isNotNull();
        assertThat(first.getString("level")).isEqualTo("ERROR");
        assertThat(first.getString("logger")).isEqualTo("dev.mooring.api.http.ApiVerticle");
        assertThat(first.getString("thread")).isEqualTo(Thread.currentThread().getName());
        assertThat(first.getString("msg")).isEqualTo("Expected \"quotes\"\nand lines");
        assertThat(first.getString("exception")).contains("IllegalStateException: line\nbreak");
        assertThat(first.getJsonObject("kv"))
                .isEqualTo(new JsonObject()
                        .put("request", "r1")
                        .put("port", 7443)
                        .put("msg", "no shadow")
                        .putNull("nothing"));
        assertThat(new JsonObject(lines[1]).containsKey("exception")).isFalse();
    }

    @Test
    void level_info_hidesDebugAndInfoOfLibraries() {
        Logger logger = logger(TextLogEncoder.plain(), "dev.mooring.x");
        logger.debug("hidden");
        context.getLogger("io.netty.x").info("chatter");
        context.getLogger("com.github.dockerjava.zerodep.shaded.HttpRequestRetryExec")
                .info("chatter");
        logger.info("shown");

        assertThat(text()).contains("shown").doesNotContain("hidden").doesNotContain("chatter");
    }

    @Test
    void color_followsSettingTerminalAndNoColor() {
        assertThat(Logging.useColor(Settings.LoggingSettings.Color.ALWAYS, false))
                .isTrue();
        assertThat(Logging.useColor(Settings.LoggingSettings.Color.NEVER, true)).isFalse();
        assertThat(Logging.useColor(Settings.LoggingSettings.Color.AUTO, true)).isTrue();
        assertThat(Logging.useColor(Settings.LoggingSettings.Color.AUTO, false)).isFalse();
        assertThat(Terminal.environmentAllowsColor(Map.of())).isTrue();
        assertThat(Terminal.environmentAllowsColor(Map.of("NO_COLOR", "1"))).isFalse();
        assertThat(Terminal.environmentAllowsColor(Map.of("TERM", "dumb"))).isFalse();
    }

    private Logger logger(Encoder<ILoggingEvent> encoder, String name) {
        Logging.apply(context, encoder, written, Level.INFO);
        return context.getLogger(name);
    }

    private String text() {
        return written.toString(StandardCharsets.UTF_8);
    }
}
