package dev.mooring.chaos.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.chaos.fuzz.FuzzRequest.SendMode;
import dev.mooring.chaos.fuzz.FuzzRequest.Sender;
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

/** Requests with which {@link ApiFuzzTest} found bugs. */
@Timeout(300)
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

    private static FuzzReply send(String head, String body) throws IOException {
        byte[] bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        FuzzRequest call = new FuzzRequest(
                -1,
                Sender.ADMIN,
                head + " HTTP/1.1\r\nHost: 127.0.0.1"
                        + (bytes.length == 0
                                ? ""
                                : "\r\nContent-Type: application/json\r\nContent-Length: " + bytes.length),
                bytes,
                SendMode.ANSWER);
        try (FuzzConnection connection = new FuzzConnection(server.port())) {
            return connection.send(call, Optional.of(server.admin())).orElseThrow();
        }
    }

    /** Found bug: the refusal came after the response had begun, which restarted the API and closed all connections. */
    @ParameterizedTest
    @ValueSource(strings = {"x", "-1", "1.5", "99999999999999999999"})
    void watch_invalidTimeout_isRefusedWithoutClosingOtherConnections(String seconds) throws IOException {
        try (FuzzConnection other = new FuzzConnection(server.port())) {
            FuzzRequest list = OutputFormsCheck.call(MAPS, "application/json");
            other.send(list, Optional.of(server.admin()));

            FuzzReply refused = send("GET " + MAPS + "?watch=1&timeoutSeconds=" + seconds, "");

            assertThat(refused.code()).as(refused.toString()).isEqualTo(400);
            assertThat(other.send(list, Optional.of(server.admin())))
                    .hasValueSatisfying(reply -> assertThat(reply.code()).isEqualTo(200));
        }
    }

    /** Found bug: numbers beyond the range of a double led to status 500, or were stored and led to it later. */
    @ParameterizedTest
    @ValueSource(strings = {"1E+2147483648", "1e999999999", "-1e400"})
    void create_numberAboveDoubleRange_isRefused(String number) throws IOException {
        FuzzReply refused = send("POST " + MAPS, "{'metadata':{'name':'large'},'unknown':" + number + "}");

        assertThat(refused.code()).as(refused.toString()).isEqualTo(400);
        assertThat(Oracle.problem(OutputFormsCheck.call(MAPS, ""), refused)).isEmpty();
    }

    @Test
    void createAndUpdate_numberBelowDoublePrecision_areAccepted() throws IOException {
        String object = "{'metadata':{'name':'small'},'unknown':1E-2147483650}";

        assertThat(send("POST " + MAPS, object).code()).isEqualTo(201);
        assertThat(send("PUT " + MAPS + "/small", object).code()).isEqualTo(200);
    }

    /** Found bug: in UTC these are in the years 10000 and -1, which were stored and then could not be read. */
    @ParameterizedTest
    @ValueSource(strings = {"9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00+12:00"})
    void create_timeWithUtcYearOutOfRange_isRefused(String time) throws IOException {
        FuzzReply refused = send(
                "POST /api/v1/namespaces/default/events",
                "{'metadata':{'name':'late'},'involvedObject':{'namespace':'default'},'firstTimestamp':'" + time
                        + "'}");

        assertThat(refused.code()).as(refused.toString()).isEqualTo(400);
    }

    /** Found bug: the request got no response. */
    @Test
    void get_upgradeToH2cWithoutTls_isAnswered() throws IOException {
        FuzzRequest call = new FuzzRequest(
                -1,
                Sender.ADMIN,
                "GET " + MAPS + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: h2c",
                new byte[0],
                SendMode.ANSWER);
        try (FuzzConnection connection = new FuzzConnection(server.port())) {
            assertThat(connection.send(call, Optional.of(server.admin())))
                    .hasValueSatisfying(reply -> assertThat(reply.code()).isEqualTo(200));
        }
    }
}
