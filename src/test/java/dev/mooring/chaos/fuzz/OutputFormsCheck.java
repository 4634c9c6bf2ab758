package dev.mooring.chaos.fuzz;

import dev.mooring.api.types.KindDefinition;
import dev.mooring.chaos.fuzz.FuzzRequest.SendMode;
import dev.mooring.chaos.fuzz.FuzzRequest.Sender;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lists and watches every kind in every output format. For one thread. */
final class OutputFormsCheck {
    /** Accept headers. The server responds to the last one with JSON, because it does not write protobuf. */
    static final List<String> FORMS = List.of(
            "application/json",
            "application/yaml",
            "application/json;as=Table;v=v1;g=meta.k8s.io",
            "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
            "application/vnd.kubernetes.protobuf,application/json");

    private final List<KindDefinition> kinds;
    private final int port;
    private final String token;

    OutputFormsCheck(List<KindDefinition> kinds, int port, String token) {
        this.kinds = kinds;
        this.port = port;
        this.token = token;
    }

    static FuzzRequest call(String target, String form) {
        return call(target, form, SendMode.ANSWER);
    }

    private static FuzzRequest call(String target, String form, SendMode mode) {
        return new FuzzRequest(
                -1,
                Sender.ADMIN,
                "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: " + form,
                new byte[0],
                mode);
    }

    /** Returns the problems of all lists and watches. */
    List<String> problems() throws IOException {
        List<String> problems = new ArrayList<>();
        try (FuzzConnection connection = new FuzzConnection(port)) {
            for (KindDefinition kind : kinds) {
                String all = PathGrammar.collection(kind, "");
                for (String form : FORMS) {
                    checkForm(connection, call(all, form), problems);
                }
                checkForm(connection, call(all + "?includeObject=Object", FORMS.get(2)), problems);
                checkForm(connection, call(all + "?watch=1&timeoutSeconds=5", FORMS.get(0), SendMode.STREAM), problems);
                checkForm(connection, call(all + "?watch=1&timeoutSeconds=5", FORMS.get(2), SendMode.STREAM), problems);
            }
        }
        return problems;
    }

    private void checkForm(FuzzConnection connection, FuzzRequest call, List<String> problems) throws IOException {
        FuzzReply reply = connection.send(call, Optional.of(token)).orElseThrow();
        if (reply.code() != 200) {
            problems.add("Cannot list: " + reply + " for " + call.head());
        }
        Oracle.problem(call, reply).ifPresent(what -> problems.add(what + ": " + call.head() + ": " + reply));
    }
}
