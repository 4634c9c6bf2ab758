package dev.mooring.ui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.mooring.ui.PageFixture.Window;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the main views with the accessibility rules of axe in both colour schemes, takes their screenshots
 * ({@code build/screenshots}), and uses the page with the keyboard only.
 */
@Timeout(600)
class PageAppearanceTest {
    /** Runs axe and returns the serious findings, one text each. */
    private static final String FINDINGS = """
        async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
          .filter((each) => ["serious", "critical"].includes(each.impact))
          .map((each) => `${each.id}: ${each.help}: ${each.nodes.map((node) => node.html).join("\\n")}`)\
        """;

    /** Returns the texts of cards and tabs that are larger than their place. */
    private static final String CUT_OFF = """
        () => [...document.querySelectorAll(".node .sub, .node .title, .panel [role=tablist], .panel [role=tab]")]
          .filter((each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight + 1)
          .map((each) => `${each.textContent} ${each.scrollWidth}x${each.scrollHeight}`)\
        """;

    @TempDir
    private static Path data;

    private static PageFixture fixture;

    @BeforeAll
    static void start() throws Exception {
        fixture = PageFixture.start(data, Map.of("without", "node,pods", "chaos.enabled", "true"));
        fixture.createNamespace("shop");
        for (String name : List.of("catalogue", "orders", "sessions")) {
            fixture.createVolume("disk-" + name, "fast");
            fixture.createClaim("shop", name, "fast", "disk-" + name);
            fixture.createPod("shop", name + "-0", name);
        }
        fixture.createVolume("archive", "slow");
        fixture.createClaim("default", "reports", "gold", "");
        fixture.createClaim("default", "old", "slow", "archive");
        fixture.awaitPhase("/api/v1/persistentvolumes/archive", "Bound");
        fixture.api().delete("/api/v1/namespaces/default/persistentvolumeclaims/old");
        fixture.awaitPhase("/api/v1/persistentvolumes/archive", "Released");
        fixture.awaitPhase("/api/v1/namespaces/shop/persistentvolumeclaims/sessions", "Bound");
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = ColorScheme.class,
            names = {"LIGHT", "DARK"})
    void views_haveNoSeriousAccessibilityFinding(ColorScheme colors) throws IOException {
        String name = colors.name().toLowerCase(Locale.ROOT);
        try (Window window = fixture.signIn(TestBrowser.shared().sessionWithScripts(1440, 900, colors))) {
            window.ready();
            assertThat(window.page().locator("html")).hasAttribute("data-theme", name);
            assertThat(window.inGraph("PersistentVolumeClaim", "shop/orders", "Bound"))
                    .isVisible();
            window.inGraph("PersistentVolumeClaim", "default/reports", "Pending")
                    .click();
            assertThat(window.panel()).containsText("StorageClass gold does not exist");
            check(window, "graph-1440-" + name);
            for (String tab : List.of("History", "YAML", "Describe")) {
                window.tab(tab).click();
                assertThat(window.tab(tab)).hasAttribute("aria-selected", "true");
                check(window, tab.toLowerCase(Locale.ROOT) + "-1440-" + name);
            }
            for (String view : List.of("Table", "Events", "Compare")) {
                window.tab(view).click();
                assertThat(window.tab(view)).hasAttribute("aria-selected", "true");
                check(window, view.toLowerCase(Locale.ROOT) + "-1440-" + name);
            }
            window.page().keyboard().press("?");
            assertThat(window.page().getByRole(AriaRole.DIALOG)).isVisible();
            check(window, "help-1440-" + name);
            Assertions.assertThat(window.tab("Chaos").count())
                    .as("fault injection for role view")
                    .isZero();
        }
        try (Window window = fixture.open(
                fixture.server().url() + "/ui/", TestBrowser.shared().sessionWithScripts(1440, 900, colors))) {
            assertThat(window.button("Sign in")).isVisible();
            check(window, "sign-in-1440-" + name);
        }
    }

    private static void check(Window window, String name) throws IOException {
        window.screenshot(name);
        Page page = window.page();
        if (Boolean.FALSE.equals(page.evaluate("() => 'axe' in window"))) {
            try (InputStream axe = PageAppearanceTest.class.getResourceAsStream("/axe.min.js")) {
                page.evaluate(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        Assertions.assertThat((List<?>) page.evaluate(FINDINGS)).as(name).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = ColorScheme.class,
            names = {"LIGHT", "DARK"})
    void smallWindow_showsGraphPanelAndTimelineWithoutOverflow(ColorScheme colors) {
        try (Window window = fixture.signIn(TestBrowser.shared().session(1024, 700, colors))) {
            window.ready();
            window.inGraph("PersistentVolumeClaim", "default/reports", "Pending")
                    .click();
            assertThat(window.panel()).containsText("StorageClass gold does not exist");
            assertThat(window.slider()).isInViewport();
            window.screenshot("graph-1024-" + colors.name().toLowerCase(Locale.ROOT));

            assertFits(window);
            Assertions.assertThat((List<?>) window.page().evaluate(CUT_OFF))
                    .as("texts that are cut off")
                    .isEmpty();
        }
    }

    /** The text of a lost connection is the longest one in the header. */
    @Test
    void smallWindow_disconnected_isWithoutOverflow() throws Exception {
        try (Window window = fixture.signIn(TestBrowser.shared().session(1024, 700, ColorScheme.LIGHT))) {
            window.ready().expectingErrors("ERR_|Failed to (fetch|load)");
            window.page().route("**/apis/**", Route::abort);
            fixture.server().supervisor().kill("api", "test").await();

            assertThat(window.button("Retry now").first()).isVisible();
            window.screenshot("disconnected-1024-light");
            assertFits(window);
        }
        fixture.awaitApi();
    }

    private static void assertFits(Window window) {
        Assertions.assertThat(window.page()
                        .evaluate("() => document.documentElement.scrollWidth <="
                                + " document.documentElement.clientWidth"))
                .as("no horizontal scroll bar")
                .isEqualTo(true);
    }

    @Test
    void theme_toggled_isKeptAfterReload() {
        try (Window window = fixture.signIn().ready()) {
            window.button("Dark theme").click();
            assertThat(window.page().locator("html")).hasAttribute("data-theme", "dark");

            window.reload();

            assertThat(window.page().locator("html")).hasAttribute("data-theme", "dark");
        }
    }

    @Test
    void faultInjection_ofAnAdmin_killsAVerticleThatIsRestarted() throws IOException {
        try (Window window = fixture.open(
                fixture.server().url() + "/ui/",
                TestBrowser.shared().sessionWithScripts(1440, 900, ColorScheme.LIGHT))) {
            window.page().getByLabel("Token, or link with a one-time code").fill(fixture.adminToken());
            window.button("Sign in").click();
            window.ready();
            window.tab("Chaos").click();
            window.button("Kill persistentvolume-controller")
                    .or(window.button("Kill binder"))
                    .first()
                    .click();

            assertThat(window.page().getByText("1 restarts")).isVisible();
            check(window, "chaos-1440-light");
        }
    }

    @Test
    void keyboardAlone_signsInFindsExplainsAndTravels() {
        String token = fixture.createToken("typist", "'role':'view'");
        try (Window window = fixture.open()) {
            assertThat(window.button("Sign in")).isVisible();
            var keys = window.page().keyboard();
            for (int i = 0; i < 10 && !isFocused(window, "#token"); i++) {
                keys.press("Tab");
            }
            keys.type(token);
            keys.press("Enter");
            window.ready();

            keys.press("/");
            keys.type("reports");
            assertThat(window.inGraph("PersistentVolumeClaim", "shop/orders", "Bound"))
                    .not()
                    .isVisible();
            keys.press("Escape");
            keys.press("2");
            assertThat(window.tab("Table")).hasAttribute("aria-selected", "true");
            assertThat(window.row("reports")).isVisible();
            for (int i = 0; i < 10 && !"true".equals(window.row("reports").getAttribute("aria-selected")); i++) {
                keys.press("j");
            }
            keys.press("e");
            assertThat(window.panel()).containsText("StorageClass gold does not exist");
            keys.press("h");
            assertThat(window.tab("History")).hasAttribute("aria-selected", "true");
            keys.press("y");
            assertThat(window.panel()
                            .getByLabel("YAML", new Locator.GetByLabelOptions().setExact(true))
                            .last())
                    .containsText("storageClassName: gold");
            keys.press("[");
            assertThat(window.banner()).containsText("read only");
            keys.press("l");
            assertThat(window.banner()).isEmpty();
            keys.press("?");
            assertThat(window.page().getByRole(AriaRole.DIALOG)).isVisible();
            keys.press("Escape");
            assertThat(window.page().getByRole(AriaRole.DIALOG)).not().isVisible();
        }
    }

    private static boolean isFocused(Window window, String selector) {
        return Boolean.TRUE.equals(
                window.page().evaluate("selector => document.activeElement?.matches(selector)", selector));
    }
}
