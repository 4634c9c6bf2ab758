package dev.mooring.testing;

import java.util.List;
import java.util.stream.Stream;

/** Processes that this one has started and that have not ended, but for the run on a real kernel that may go on beside the tests. */
public final class LivingChildren {
    private static final String BESIDE = "real-kernel";

    private LivingChildren() {}

    public static List<ProcessHandle> now() {
        return ProcessHandle.current()
                .children()
                .filter(each -> !each.info().commandLine().orElse("").contains(BESIDE))
                .flatMap(each -> Stream.concat(Stream.of(each), each.descendants()))
                .toList();
    }
}
