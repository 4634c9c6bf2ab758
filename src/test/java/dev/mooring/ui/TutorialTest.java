package dev.mooring.ui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.mooring.testing.RealEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Does what docs/tutorial.md says, in its order: runs every command after a {@code $}, and checks every item below "On
 * the page". An item that is not one of the known sentences fails the test, so the page cannot promise what is not
 * checked.
 */
@Timeout(900)
class TutorialTest {
    private static final Path INSTALLED =
            Path.of("build", "install", "mooring", "bin").toAbsolutePath();
    private static final Pattern QUOTED = Pattern.compile("`([^`]*)`");
    private static final long COMMAND_SECONDS = 180;

    @TempDir
    private Path data;

    @Test
    void tutorial_followedStepByStep_showsWhatItSays() throws Exception {
        assumeTrue(Files.isExecutable(INSTALLED.resolve("mooring")), INSTALLED + " is missing (make build creates it)");
        String engine = RealEngine.shared().host();
        Map<String, String> settings =
                Map.of("runtime", "docker", "docker.host", engine, "chaos.enabled", "true", "node", "host-1");
        List<String> lines = Files.readAllLines(Path.of("docs", "tutorial.md"));
        int commands = 0;
        int items = 0;
        try (PageFixture fixture = PageFixture.start(data, settings);
                PageFixture.Window window = fixture.signIn().ready()) {
            for (String line : lines) {
                if (line.startsWith("$ ")) {
                    run(line.substring(2), fixture.server().kubeconfig());
                    commands++;
                } else if (line.startsWith("- ") && !line.contains("](")) {
                    check(line.substring(2), window);
                    items++;
                }
            }
        }
        assertThat(commands).isGreaterThan(20);
        assertThat(items).isGreaterThan(10);
    }

    private void run(String command, Path kubeconfig) throws IOException, InterruptedException {
        if (command.startsWith("export ")) {
            return; // the environment below
        }
        Path output = data.resolveSibling(data.getFileName() + ".output");
        ProcessBuilder shell = new ProcessBuilder("bash", "-c", command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        shell.environment().put("KUBECONFIG", kubeconfig.toString());
        shell.environment().put("PATH", INSTALLED + ":" + System.getenv("PATH"));
        Process process = shell.start();
        try {
            boolean ended = process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS);
            assertThat(ended ? process.exitValue() : -1)
                    .as(command + "\n" + Files.readString(output))
                    .isZero();
        } finally {
            process.destroyForcibly();
            Files.deleteIfExists(output);
        }
    }

    private static void check(String item, PageFixture.Window window) {
        Matcher quoted = QUOTED.matcher(item);
        List<String> texts = new ArrayList<>(quoted.results()
                .map(found -> found.group(1).replace("NODE", "host-1"))
                .toList());
        String sentence = QUOTED.matcher(item).replaceAll((MatchResult found) -> "_");
        switch (sentence) {
            case "The page says _." ->
                assertThat(window.page().getByText(texts.get(0))).isVisible();
            case "The graph shows _." ->
                assertThat(object(window, texts.get(0))).isVisible();
            case "The graph no longer shows _." ->
                assertThat(object(window, texts.get(0))).isHidden();
            case "Explain of _ says _.", "History of _ says _.", "Describe of _ says _." ->
                says(window, sentence.substring(0, sentence.indexOf(' ')), texts);
            case "Press _." -> window.page().keyboard().press(texts.get(0));
            case "The banner says _." -> assertThat(window.banner()).containsText(texts.get(0));
            case "The banner is empty." -> assertThat(window.banner()).hasText("");
            default -> fail("docs/tutorial.md has an item that this test cannot check: " + item);
        }
    }

    /** Selects an object and checks the text of a tab of its panel. */
    private static void says(PageFixture.Window window, String tab, List<String> texts) {
        object(window, texts.get(0)).click();
        window.tab(tab).click();
        assertThat(window.panel()).containsText(texts.get(1));
        window.screenshot("tutorial-" + tab.toLowerCase(Locale.ROOT)); // the last one remains
        window.page().keyboard().press("Escape");
    }

    /** Returns the first object in the graph whose kind, namespace, name and state contain the text. */
    private static Locator object(PageFixture.Window window, String text) {
        return window.page()
                .getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(text))
                .first();
    }
}
