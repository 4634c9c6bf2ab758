package dev.mooring.chaos.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.chaos.fuzz.Call.Manner;
import dev.mooring.chaos.fuzz.Call.Who;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The requests that {@link ApiFuzzTest} found bugs with, one by one. */
@Timeout(120)
class FoundByFuzzingTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";

    @TempDir
    private static Path data;

    private static FuzzServer server;

    @BeforeAll
    static void start() throws IOException {
        server = FuzzServer.start(data);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Reply send(String head, String body) throws IOException {
        byte[] bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        Call call = new Call(
                -1,
                Who.ADMIN,
                head + " HTTP/1.1\r\nHost: 127.0.0.1"
                        + (bytes.length == 0
                                ? ""
                                : "\r\nContent-Type: application/json\r\nContent-Length: " + bytes.length),
                bytes,
                Manner.ANSWER);
        try (FuzzConnection connection = new FuzzConnection(server.port())) {
            return connection.send(call, Optional.of(server.admin())).orElseThrow();
        }
    }

    /** It was refused when the answer had begun, which ended the whole API for a moment, and everybody's connections. */
    @ParameterizedTest
    @ValueSource(strings = {"x", "-1", "1.5", "99999999999999999999"})
    void aWatchWithAWrongTimeIsRefusedAndHurtsNobody(String seconds) throws IOException {
        try (FuzzConnection bystander = new FuzzConnection(server.port())) {
            Call look = Renderings.call(MAPS, "application/json");
            bystander.send(look, Optional.of(server.admin()));

            Reply refused = send("GET " + MAPS + "?watch=1&timeoutSeconds=" + seconds, "");

            assertThat(refused.code()).as(refused.toString()).isEqualTo(400);
            assertThat(bystander.send(look, Optional.of(server.admin())))
                    .hasValueSatisfying(reply -> assertThat(reply.code()).isEqualTo(200));
        }
    }

    /** Numbers beyond every double were a 500, or kept and a 500 from then on. */
    @ParameterizedTest
    @ValueSource(strings = {"1E+2147483648", "1e999999999", "-1e400"})
    void aNumberThatIsTooLargeIsRefused(String number) throws IOException {
        Reply refused = send("POST " + MAPS, "{'metadata':{'name':'large'},'unknown':" + number + "}");

        assertThat(refused.code()).as(refused.toString()).isEqualTo(400);
        assertThat(Oracle.problem(Renderings.call(MAPS, ""), refused)).isEmpty();
    }

    @Test
    void aNumberThatIsTooSmallIsAsGoodAsZero() throws IOException {
        String object = "{'metadata':{'name':'small'},'unknown':1E-2147483650}";

        assertThat(send("POST " + MAPS, object).code()).isEqualTo(201);
        assertThat(send("PUT " + MAPS + "/small", object).code()).isEqualTo(200);
    }

    /** In UTC these are in the years 10000 and -1, which were kept and then could not be read. */
    @ParameterizedTest
    @ValueSource(strings = {"9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00+12:00"})
    void aTimeThatItsOffsetMovesOutOfTheCalendarIsRefused(String time) throws IOException {
        Reply refused = send(
                "POST /api/v1/namespaces/default/events",
                "{'metadata':{'name':'late'},'involvedObject':{'namespace':'default'},'firstTimestamp':'" + time
                        + "'}");

        assertThat(refused.code()).as(refused.toString()).isEqualTo(400);
    }

    /** It was never answered. */
    @Test
    void aRequestThatMentionsHttp2WithoutTlsIsAnswered() throws IOException {
        Call call = new Call(
                -1,
                Who.ADMIN,
                "GET " + MAPS + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: h2c",
                new byte[0],
                Manner.ANSWER);
        try (FuzzConnection connection = new FuzzConnection(server.port())) {
            assertThat(connection.send(call, Optional.of(server.admin())))
                    .hasValueSatisfying(reply -> assertThat(reply.code()).isEqualTo(200));
        }
    }
}
