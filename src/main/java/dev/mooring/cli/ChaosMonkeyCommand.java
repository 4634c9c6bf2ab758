package dev.mooring.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mooring chaos monkey}: verticles are killed at random. */
@Command(name = "monkey", description = "Kill verticles at random, again and again.")
final class ChaosMonkeyCommand implements Callable<Integer> {
    private final Ambient ambient;

    @Mixin
    private ChaosCall call;

    @Option(names = "--every", paramLabel = "TIME", defaultValue = "2s", description = "How often (${DEFAULT-VALUE}).")
    private String every;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "60s",
            description = "For how long (${DEFAULT-VALUE}), at most 10m.")
    private String length;

    @Option(names = "--only", paramLabel = "NAME", split = ",", description = "Only these, with commas in between.")
    private List<String> only = new ArrayList<>();

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "For the same choice once more; else one is made, and printed.")
    private Long seed;

    ChaosMonkeyCommand(Ambient ambient) {
        this.ambient = ambient;
    }

    @Override
    public Integer call() throws IOException {
        ObjectNode body = ChaosCall.body()
                .put("everySeconds", call.seconds("--every", every))
                .put("forSeconds", call.seconds("--for", length));
        if (!only.isEmpty()) {
            only.forEach(body.putArray("only")::add);
        }
        if (seed != null) {
            body.put("seed", seed);
        }
        return call.perform(ambient, "monkey", body);
    }
}
