package dev.mooring.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mooring chaos monkey}: kills random verticles. */
@Command(name = "monkey", description = "Kill random verticles repeatedly.")
final class ChaosMonkeyCommand implements Callable<Integer> {
    private final ProcessEnvironment environment;

    @Mixin
    private ChaosClient call;

    @Option(names = "--every", paramLabel = "TIME", defaultValue = "2s", description = "Interval (${DEFAULT-VALUE}).")
    private String every;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "60s",
            description = "Duration (${DEFAULT-VALUE}), at most 10m.")
    private String length;

    @Option(
            names = "--only",
            paramLabel = "NAME",
            split = ",",
            description = "Only these verticles, separated by commas.")
    private List<String> only = new ArrayList<>();

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed to repeat a sequence; default: random, and printed.")
    private Long seed;

    ChaosMonkeyCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        ObjectNode body = ChaosClient.body()
                .put("everySeconds", call.seconds("--every", every))
                .put("forSeconds", call.seconds("--for", length));
        if (!only.isEmpty()) {
            only.forEach(body.putArray("only")::add);
        }
        if (seed != null) {
            body.put("seed", seed);
        }
        return call.perform(environment, "monkey", body);
    }
}
