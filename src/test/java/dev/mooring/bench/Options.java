package dev.mooring.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What was asked for on the command line.
 *
 * @param names the benchmarks to run; empty for all
 * @param quick a smoke run: fewer and shorter rounds, smaller logs; its figures are rough
 */
record Options(Path output, List<String> names, boolean quick) {
    static Options parse(List<String> args, List<String> known) {
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
                        "Expected [--output DIR] [--quick] and names of " + known + ", but found " + arg);
            }
        }
        return new Options(output, List.copyOf(names), quick);
    }

    boolean wants(String name) {
        return names.isEmpty() || names.contains(name);
    }
}
