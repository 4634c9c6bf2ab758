package dev.mooring.chaos.fuzz;

import dev.mooring.api.kind.Kind;
import dev.mooring.chaos.fuzz.Call.Manner;
import dev.mooring.chaos.fuzz.Call.Who;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lists all there is in every form there is, and begins a watch on it. For one thread. */
final class Renderings {
    /** What clients accept. The last one is answered with JSON: this server writes no protobuf. */
    static final List<String> FORMS = List.of(
            "application/json",
            "application/yaml",
            "application/json;as=Table;v=v1;g=meta.k8s.io",
            "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
            "application/vnd.kubernetes.protobuf,application/json");

    private final List<Kind> kinds;
    private final int port;
    private final String token;

    Renderings(List<Kind> kinds, int port, String token) {
        this.kinds = kinds;
        this.port = port;
        this.token = token;
    }

    static Call call(String target, String form) {
        return call(target, form, Manner.ANSWER);
    }

    private static Call call(String target, String form, Manner manner) {
        return new Call(
                -1,
                Who.ADMIN,
                "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: " + form,
                new byte[0],
                manner);
    }

    /** What cannot be shown. */
    List<String> problems() throws IOException {
        List<String> problems = new ArrayList<>();
        try (FuzzConnection connection = new FuzzConnection(port)) {
            for (Kind kind : kinds) {
                String all = PathGrammar.collection(kind, "");
                for (String form : FORMS) {
                    look(connection, call(all, form), problems);
                }
                look(connection, call(all + "?includeObject=Object", FORMS.get(2)), problems);
                look(connection, call(all + "?watch=1&timeoutSeconds=5", FORMS.get(0), Manner.STREAM), problems);
                look(connection, call(all + "?watch=1&timeoutSeconds=5", FORMS.get(2), Manner.STREAM), problems);
            }
        }
        return problems;
    }

    private void look(FuzzConnection connection, Call call, List<String> problems) throws IOException {
        Reply reply = connection.send(call, Optional.of(token)).orElseThrow();
        if (reply.code() != 200) {
            problems.add("Expected to list everything, but got " + reply + " for " + call.head());
        }
        Oracle.problem(call, reply).ifPresent(what -> problems.add(what + ": " + call.head() + ": " + reply));
    }
}
