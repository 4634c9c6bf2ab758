package dev.mooring.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Command-line options.
 *
 * @param names the benchmarks to run; empty for all
 * @param quick a smoke run with fewer and shorter rounds and smaller logs; its figures are rough
 */
record BenchOptions(Path output, List<String> names, boolean quick) {
    static BenchOptions parse(List<String> args, List<String> known) {
        Path output = Path.of("build/bench");
        List<String> names = new ArrayList<>();
        boolean quick = false;
        for (int i = 0; i < args.size(); i++) {
            String arg = args.get(i);
            if (arg.equals("--output") && i + 1 < args.size()) {
                output = Path.of(args.get(++i));
            } else if (arg.equals("--quick")) {
                quick = true;
            } else if (known.contains(arg)) {
                names.add(arg);
            } else {
                throw new IllegalArgumentException(
                        "Unknown argument " + arg + "; use [--output DIR] [--quick] and names of " + known);
            }
        }
        return new BenchOptions(output, List.copyOf(names), quick);
    }

    boolean isSelected(String name) {
        return names.isEmpty() || names.contains(name);
    }
}
