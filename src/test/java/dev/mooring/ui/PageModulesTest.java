package dev.mooring.ui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the tests of the page's pure modules (src/test/js) with Node's test runner. */
@Timeout(300)
class PageModulesTest {
    private static final int MIN_NODE = 20;

    @TempDir
    private Path directory;

    @Test
    void pureModules_testedByNode_pass() throws Exception {
        assumeTrue(major() >= MIN_NODE, "Node.js 20 or newer is missing; the browser tests cover the same modules");

        Process tests = new ProcessBuilder("node", "--test", "--test-reporter=tap", "src/test/js/")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output").toFile())
                .start();
        try {
            assertThat(tests.waitFor(240, TimeUnit.SECONDS)).isTrue();
            List<String> output = Files.readAllLines(directory.resolve("output"));
            assertThat(tests.exitValue()).as(String.join("\n", output)).isZero();
            assertThat(output).anyMatch(line -> line.matches("# pass [1-9]\\d+"));
        } finally {
            tests.destroyForcibly();
        }
    }

    /** Returns the major version of Node.js; 0 if it is missing. */
    private static int major() throws IOException, InterruptedException {
        try {
            Process node = new ProcessBuilder("node", "--version").start();
            String version = node.inputReader().readLine();
            node.waitFor();
            return Integer.parseInt(version.replaceAll("^v(\\d+).*", "$1"));
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }
}
