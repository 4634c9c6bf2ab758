package dev.mooring.chaos.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.types.KindDefinition;
import dev.mooring.chaos.fuzz.FuzzRequest.SendMode;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests that the requests of the fuzzer are reproducible and cover all kinds, formats and methods. */
class RequestGrammarTest {
    private static final int REQUESTS = 20_000;

    @Test
    void grammar_sameSeed_generatesSameRequests() {
        RequestGrammar one = new RequestGrammar(42);
        RequestGrammar other = new RequestGrammar(42);

        // Backwards: a request must not depend on the requests generated before it.
        for (long number = 2_000; number >= 0; number--) {
            assertThat(one.call(number).bytes(Optional.of("t")))
                    .as("number %d", number)
                    .isEqualTo(other.call(number).bytes(Optional.of("t")));
        }
    }

    @Test
    void grammar_otherSeed_generatesOtherRequests() {
        RequestGrammar one = new RequestGrammar(1);
        RequestGrammar other = new RequestGrammar(2);

        long same = LongStream.range(0, 1_000)
                .filter(number ->
                        one.call(number).head().equals(other.call(number).head()))
                .count();

        assertThat(same).isLessThan(100);
    }

    @Test
    void grammar_manyRequests_useEveryMethodOnEveryKind() {
        RequestGrammar grammar = new RequestGrammar(3);
        Set<String> seen = new HashSet<>();
        LongStream.range(0, REQUESTS)
                .mapToObj(grammar::call)
                .forEach(call -> grammar.kinds().stream()
                        .filter(kind -> call.path().contains("/" + kind.names().plural()))
                        .forEach(kind -> seen.add(call.method() + " " + kind)));

        for (KindDefinition kind : grammar.kinds()) {
            for (String method : List.of("GET", "POST", "PUT", "PATCH", "DELETE")) {
                assertThat(seen).contains(method + " " + kind);
            }
        }
    }

    @Test
    void grammar_manyRequests_coverAllFormatsAndSendModes() {
        RequestGrammar grammar = new RequestGrammar(4);
        Set<SendMode> sendModes = new HashSet<>();
        StringBuilder heads = new StringBuilder();
        LongStream.range(0, REQUESTS).mapToObj(grammar::call).forEach(call -> {
            sendModes.add(call.sendMode());
            heads.append(call.head(), 0, Math.min(call.head().length(), 400)).append('\n');
        });

        assertThat(sendModes).containsExactlyInAnyOrder(SendMode.values());
        assertThat(heads)
                .contains(
                        "application/json-patch+json",
                        "application/merge-patch+json",
                        "application/strategic-merge-patch+json",
                        "application/apply-patch+yaml",
                        "application/vnd.kubernetes.protobuf",
                        "application/yaml",
                        "/status",
                        "/eviction",
                        "/token",
                        "/exec",
                        "/log",
                        "labelSelector=",
                        "fieldSelector=",
                        "continue=",
                        "%2e%2e",
                        "Transfer-Encoding: chunked",
                        "selfsubjectaccessreviews",
                        "/metrics");
    }
}
