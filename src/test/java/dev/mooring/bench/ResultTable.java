package dev.mooring.bench;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Prints the results, one group at a time. */
final class ResultTable {
    private final PrintStream out;
    private int met;
    private int missed;

    ResultTable(PrintStream out) {
        this.out = out;
    }

    void header(MachineInfo machine, BenchOptions options) {
        out.println(machine.line());
        if (options.quick()) {
            out.println("Quick run: smaller logs and rough figures. Run without --quick for reliable figures.");
        }
        out.println();
        row("benchmark", "measured", "", "yardstick", "", "ratio", "goal", "");
    }

    void group(String title, List<Figure> figures) {
        out.println(title);
        for (Figure figure : figures) {
            row(
                    figure.name(),
                    figure.unit().text(figure.measured().median()),
                    spread(figure.measured()),
                    figure.yardstick()
                            .map(yardstick ->
                                    yardstick.unit().text(yardstick.measured().median()))
                            .orElse(""),
                    figure.yardstick().map(Figure.Baseline::name).orElse(""),
                    figure.ratio()
                            .map(ratio -> MeasureUnit.TIMES.text(ratio.median()))
                            .orElse(""),
                    figure.goal().text(figure),
                    figure.verdict());
            if (!figure.details().isEmpty()) {
                out.println(figure.details().entrySet().stream()
                        .map(detail -> detail.getKey() + " " + detail.getValue())
                        .collect(Collectors.joining(" · ", "      ", "")));
            }
            met += figure.verdict().equals("met") ? 1 : 0;
            missed += figure.verdict().equals("missed") ? 1 : 0;
        }
        out.println();
    }

    void footer(Path json) {
        out.println("goals: " + met + " met, " + missed + " missed · every figure: " + json);
    }

    private static String spread(Measurements rounds) {
        if (rounds.values().size() < 2) {
            return "";
        }
        return String.format(Locale.ROOT, "±%.0f%%", rounds.spread() * 100);
    }

    private void row(String... cells) {
        out.println(String.format(Locale.ROOT, "  %-36s %12s %-6s %12s  %-24s %8s  %-11s %s", (Object[]) cells)
                .stripTrailing());
    }
}
