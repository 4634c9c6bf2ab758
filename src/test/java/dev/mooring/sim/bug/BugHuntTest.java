package dev.mooring.sim.bug;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.testing.TwoAtOnce;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The net holds: each of the mistakes is planted, and the simulation finds it in as few lives as is said. */
class BugHuntTest {
    private static final int HUNTERS = 2;

    @Test
    @Timeout(900)
    void findsEachBugWithinItsLives() throws Exception {
        List<String> told = new ArrayList<>();
        try (TwoAtOnce both = new TwoAtOnce()) {
            List<Callable<List<String>>> hunts = new ArrayList<>();
            for (int i = 0; i < HUNTERS; i++) {
                List<String> share = share(i);
                hunts.add(both.begin(() -> hunt(share)));
            }
            for (Callable<List<String>> each : hunts) {
                told.addAll(each.call());
            }
        }
        for (Bug bug : Bugs.ALL) {
            assertThat(told).as(bug.story()).anyMatch(line -> line.startsWith("found " + bug.name() + " after "));
        }
    }

    @Test
    void thereAreManyAndEachHasANameAndAStory() {
        assertThat(Bugs.ALL).hasSizeGreaterThanOrEqualTo(20);
        assertThat(Bugs.ALL).extracting(Bug::name).doesNotHaveDuplicates();
        assertThat(Bugs.ALL).extracting(Bug::story).doesNotHaveDuplicates().noneMatch(String::isBlank);
        assertThat(Bugs.ALL).extracting(Bug::within).allMatch(lives -> lives > 0 && lives <= 400);
    }

    private static List<String> share(int hunter) {
        List<String> names = new ArrayList<>();
        for (int i = hunter; i < Bugs.ALL.size(); i += HUNTERS) {
            names.add(Bugs.ALL.get(i).name());
        }
        return names;
    }

    /** A JVM of its own, whose classes are no longer those of the program. */
    private static List<String> hunt(List<String> names) throws IOException, InterruptedException {
        List<String> java = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Djdk.attach.allowAttachSelf=true",
                "-cp",
                System.getProperty("java.class.path"),
                BugHunt.class.getName());
        List<String> command = Stream.concat(java.stream(), names.stream()).toList();
        Process hunter = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String said = new String(hunter.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(hunter.waitFor()).as("%s", said).isZero();
            return said.lines().toList();
        } finally {
            hunter.destroyForcibly();
        }
    }
}
