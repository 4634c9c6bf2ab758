package dev.mooring.testing;

import java.util.List;
import java.util.stream.Stream;

/** Lists the running child processes of this JVM, except the tests on a real kernel, which may run in parallel. */
public final class ChildProcesses {
    private static final String KERNEL_TESTS = "real-kernel";

    private ChildProcesses() {}

    public static List<ProcessHandle> running() {
        return ProcessHandle.current()
                .children()
                .filter(each -> !each.info().commandLine().orElse("").contains(KERNEL_TESTS))
                .flatMap(each -> Stream.concat(Stream.of(each), each.descendants()))
                .toList();
    }
}
