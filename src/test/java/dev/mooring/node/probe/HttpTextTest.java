package dev.mooring.node.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests request targets, response parsing and messages of HTTP probes. */
class HttpTextTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/                 | http://10.0.0.1:80/",
                "''                | http://10.0.0.1:80/",
                "healthz           | http://10.0.0.1:80/healthz",
                "/a?b=c&d#e        | http://10.0.0.1:80/a?b=c&d",
                "/a b              | http://10.0.0.1:80/a%20b",
                "/ä                | http://10.0.0.1:80/%C3%A4",
                "/50%              | http://10.0.0.1:80/50%25",
                "/50%25            | http://10.0.0.1:80/50%25",
            })
    void target_path_isEscaped(String path, String url) {
        assertThat(HttpTarget.of("http", "10.0.0.1", 80, path)).hasToString(url);
    }

    @Test
    void target_lineBreakInPath_isEscaped() {
        assertThat(HttpTarget.of("http", "h", 1, "/a\r\nEvil: yes").path()).isEqualTo("/a%0D%0AEvil:%20yes");
    }

    @ParameterizedTest
    @CsvSource({
        "/other, http://10.0.0.1:80/other",
        "next?x=1, http://10.0.0.1:80/a/next?x=1",
        "http://10.0.0.1:8080/b, http://10.0.0.1:8080/b",
        "https://10.0.0.1, https://10.0.0.1:443/",
        "//else/x, http://else:80/x",
        "ftp://10.0.0.1/, ''",
        "http://, ''",
    })
    void resolve_location_returnsItsTarget(String location, String url) {
        HttpTarget from = HttpTarget.of("http", "10.0.0.1", 80, "/a/b");

        assertThat(from.resolve(location).map(HttpTarget::toString).orElse("")).isEqualTo(url);
    }

    @Test
    void target_ipv6Address_isInBrackets() {
        assertThat(HttpTarget.of("http", "fd00::1", 80, "/")).hasToString("http://[fd00::1]:80/");
        assertThat(HttpTarget.of("http", "[fd00::1]", 80, "/").host()).isEqualTo("fd00::1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "HTTP/1.1 200 OK~Content-Length: 2~~hi                              | 200",
                "HTTP/1.1 200~Content-Length: 0~~                                   | 200",
                "HTTP/1.0 500 Oh~~oh no$                                            | 500",
                "HTTP/1.1 204 No Content~~                                          | 204",
                "HTTP/1.1 100 Continue~~HTTP/1.1 201 Made~Content-Length: 1~~x      | 201",
                "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~2~he~3;x=y~llo~0~~     | 200",
            })
    void reader_responseInPieces_isParsed(String response, int expected) throws IOException {
        String text = response.replace("~", "\r\n").replace("$", "");
        for (int piece = 1; piece <= text.length(); piece++) {
            HttpReplyReader reader = new HttpReplyReader();
            Optional<HttpExchange.HttpReply> reply = Optional.empty();
            for (int at = 0; at < text.length() && reply.isEmpty(); at += piece) {
                reply = reader.feed(
                        text.substring(at, Math.min(text.length(), at + piece)).getBytes(StandardCharsets.UTF_8));
            }
            if (reply.isEmpty() && response.endsWith("$")) {
                reply = reader.feed(new byte[0]);
            }
            assertThat(reply)
                    .describedAs("in pieces of " + piece + " bytes")
                    .map(HttpExchange.HttpReply::status)
                    .contains(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH\r\n",
                "HTTP/1.1 abc\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi$",
                "HTTP/1.1 20$",
                "$",
            })
    void reader_malformedResponse_fails(String text) {
        HttpReplyReader reader = new HttpReplyReader();
        assertThatThrownBy(() -> {
                    reader.feed(text.replace("$", "").getBytes(StandardCharsets.UTF_8));
                    reader.feed(new byte[0]);
                })
                .isInstanceOf(IOException.class);
    }

    @Test
    void reader_longBody_stopsAfterTenKibibytes() throws IOException {
        HttpReplyReader reader = new HttpReplyReader();
        reader.feed("HTTP/1.1 302 Found\r\nContent-Length: 99999999\r\n\r\n".getBytes(StandardCharsets.UTF_8));

        assertThat(reader.feed(new byte[10 * 1024 - 1])).isEmpty();
        assertThat(reader.feed(new byte[1])).map(HttpExchange.HttpReply::status).contains(302);
    }

    @Test
    void reader_endlessHeaders_fails() {
        HttpReplyReader reader = new HttpReplyReader();

        assertThatThrownBy(() ->
                        reader.feed(("HTTP/1.1 200 OK\r\nX: " + "y".repeat(70_000)).getBytes(StandardCharsets.UTF_8)))
                .hasMessage("net/http: server response headers exceeded 65536 bytes; aborted");
    }

    @ParameterizedTest
    @CsvSource({"1000, 1s", "90000, 1m30s", "3600000, 1h0m0s", "1500, 1.500s"})
    void duration_isFormattedAsByTheKubelet(long millis, String text) {
        assertThat(ProbeMessages.duration(Duration.ofMillis(millis))).isEqualTo(text);
    }

    @Test
    void quoted_specialCharacters_areEscaped() {
        assertThat(ProbeMessages.quoted("a\"b\\c\nd\u0001ä")).isEqualTo("\"a\\\"b\\\\c\\nd\\x01ä\"");
    }
}
