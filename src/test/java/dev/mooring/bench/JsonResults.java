package dev.mooring.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The results as JSON: every round of every figure, and the machine. */
final class JsonResults {
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private final ObjectNode root = MAPPER.createObjectNode();
    private final ArrayNode figures;
    private final ArrayNode broken;

    JsonResults(MachineInfo machine, BenchOptions options) {
        root.set("machine", MAPPER.valueToTree(machine));
        root.put("quick", options.quick());
        figures = root.putArray("figures");
        broken = root.putArray("broken");
    }

    void add(Benchmark benchmark, List<Figure> found) {
        for (Figure figure : found) {
            ObjectNode node = figures.addObject();
            node.put("benchmark", benchmark.name()).put("name", figure.name());
            rounds(node.putObject("measured"), figure.unit(), figure.measured());
            figure.yardstick().ifPresent(yardstick -> {
                ObjectNode beside = node.putObject("yardstick").put("name", yardstick.name());
                rounds(beside, yardstick.unit(), yardstick.measured());
            });
            figure.ratio().ifPresent(ratio -> rounds(node.putObject("ratio"), MeasureUnit.TIMES, ratio));
            node.put("goal", figure.goal().text(figure)).put("verdict", figure.verdict());
            node.set("details", MAPPER.valueToTree(figure.details()));
            node.set("numbers", MAPPER.valueToTree(figure.numbers()));
        }
    }

    private static void rounds(ObjectNode node, MeasureUnit unit, Measurements rounds) {
        node.put("unit", unit.symbol).put("median", rounds.median()).put("spread", rounds.spread());
        node.set("rounds", MAPPER.valueToTree(rounds.values()));
    }

    void broken(Benchmark benchmark, Exception e) {
        broken.addObject().put("benchmark", benchmark.name()).put("why", e.toString());
    }

    void write(Path file) throws IOException {
        MAPPER.writeValue(file.toFile(), root);
    }
}
