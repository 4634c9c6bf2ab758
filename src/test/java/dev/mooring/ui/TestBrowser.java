package dev.mooring.ui;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * The machine's Chromium (package {@code chromium}, which {@code make setup} installs), driven by Playwright; without
 * one, tests are aborted with a message. One browser serves all tests of a process. Must be used by one thread.
 */
final class TestBrowser {
    /** Far longer than anything takes on a busy machine. */
    static final int TIMEOUT_MILLIS = 60_000;

    /** Arguments for a browser without a display, sandbox and traffic of its own. */
    private static final List<String> ARGUMENTS = List.of(
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync");

    private static final List<Path> PROGRAMS = Stream.of(
                    "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
            .map(Path::of)
            .toList();

    private static TestBrowser shared;

    private final Browser browser;

    private TestBrowser(Path program) {
        Playwright playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(program)
                        .setTimeout(TIMEOUT_MILLIS)
                        .setArgs(ARGUMENTS));
        PlaywrightAssertions.setDefaultAssertionTimeout(TIMEOUT_MILLIS);
        // Playwright ends the browser when its connection to this process closes, however the process ends.
    }

    static TestBrowser shared() {
        if (shared == null) {
            shared = new TestBrowser(PROGRAMS.stream()
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow(
                            () -> new TestAbortedException("No browser; install the package chromium (make setup)")));
        }
        return shared;
    }

    /** Returns a new session: no cookies, no storage, and the given appearance. */
    BrowserContext session(int width, int height, ColorScheme colors) {
        return browser.newContext(options(width, height, colors));
    }

    /** Returns a new session that ignores the page's Content-Security-Policy, to run a script of the test in it. */
    BrowserContext sessionWithScripts(int width, int height, ColorScheme colors) {
        return browser.newContext(options(width, height, colors).setBypassCSP(true));
    }

    private static Browser.NewContextOptions options(int width, int height, ColorScheme colors) {
        return new Browser.NewContextOptions()
                .setIgnoreHTTPSErrors(true)
                .setViewportSize(width, height)
                .setLocale("en-GB")
                .setTimezoneId("UTC")
                // Screenshots must not show half of a transition.
                .setReducedMotion(ReducedMotion.REDUCE)
                .setColorScheme(colors);
    }
}
