package dev.mooring.ui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.ui.PageFixture.Window;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the live state, past revisions and comparisons in a browser, with a claim that is bound while it is shown. */
@Timeout(600)
class PageTimeTest {
    private static final String CLAIM = "PersistentVolumeClaim";

    @TempDir
    private Path data;

    private PageFixture fixture;
    private long pending;

    @BeforeEach
    void start() throws IOException {
        fixture = PageFixture.start(data, Map.of("without", "node,pods"));
        fixture.createClaim("default", "data", "manual", "");
        pending = fixture.revision();
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    /** Opens the page, creates the volume that the claim waits for, and waits until the page shows the binding. */
    private Window bound() {
        Window window = fixture.signIn().ready();
        assertThat(window.inGraph(CLAIM, "default/data", "Pending")).isVisible();
        fixture.createVolume("disk", "manual");
        assertThat(window.inGraph(CLAIM, "default/data", "Bound")).isVisible();
        return window;
    }

    @Test
    void claim_boundWhileShown_changesWithoutReload() {
        try (Window window = bound()) {
            assertThat(window.inGraph("PersistentVolume", "disk", "Bound")).isVisible();
            assertThat(window.banner()).isEmpty();
        }
    }

    @Test
    void revisionBeforeTheBinding_shown_hasTheEarlierWorldAndABanner() {
        try (Window window = bound()) {
            window.navigate(fixture.server().url() + "/ui/#/?rev=" + pending);

            assertThat(window.banner())
                    .containsText(Pattern.compile("Revision " + pending + " of \\d+ · .* · read only"));
            assertThat(window.inGraph(CLAIM, "default/data", "Pending")).isVisible();
            assertThat(window.inGraph("PersistentVolume", "disk", "Bound"))
                    .not()
                    .isVisible();
            window.screenshot("past-1440-light");

            window.button("Back to live").click();

            assertThat(window.banner()).isEmpty();
            assertThat(window.inGraph(CLAIM, "default/data", "Bound")).isVisible();
        }
    }

    @Test
    void scrubber_movedBack_showsEachEarlierState() {
        try (Window window = bound()) {
            Locator slider = window.slider();
            Locator pendingClaim = window.inGraph(CLAIM, "default/data", "Pending");
            for (int steps = 0; steps < 20 && !pendingClaim.isVisible(); steps++) {
                String before = slider.getAttribute("aria-valuenow");
                slider.press("ArrowLeft");
                assertThat(slider).not().hasAttribute("aria-valuenow", before);
            }

            assertThat(pendingClaim).isVisible();
            assertThat(window.banner()).containsText("read only");

            slider.press("Home");
            assertThat(pendingClaim).not().isVisible();
            slider.press("End");
            assertThat(window.inGraph(CLAIM, "default/data", "Bound")).isVisible();
        }
    }

    @Test
    void newEvents_whilePastIsShown_doNotChangeIt() throws Exception {
        try (Window window = bound()) {
            window.navigate(fixture.server().url() + "/ui/#/?rev=" + pending);
            assertThat(window.inGraph(CLAIM, "default/data", "Pending")).isVisible();
            fixture.createClaim("default", "later", "manual", "");

            long created = fixture.revision();
            ConditionPoller.until(() -> Long.parseLong(window.slider().getAttribute("aria-valuemax")) >= created);
            assertThat(window.inGraph(CLAIM, "default/later", "Pending")).not().isVisible();
            assertThat(window.inGraph(CLAIM, "default/data", "Pending")).isVisible();
        }
    }

    @Test
    void address_ofAMoment_opensTheSameMomentAndObject() {
        try (Window window = bound()) {
            window.navigate(fixture.server().url() + "/ui/#/?rev=" + pending + "&object=pvc/default/data");
            window.reload();

            assertThat(window.banner()).containsText("Revision " + pending + " of");
            assertThat(window.panel().getByRole(AriaRole.HEADING, new Locator.GetByRoleOptions().setName("data")))
                    .isVisible();
            assertThat(window.panel()).containsText("Pending");
        }
    }

    @Test
    void history_ofTheClaim_hasTheBindingWithItsChangesAndEffects() {
        try (Window window = bound()) {
            window.inGraph(CLAIM, "default/data", "Bound").click();
            window.tab("History").click();

            Locator binding = window.panel()
                    .getByRole(AriaRole.BUTTON)
                    .filter(new Locator.FilterOptions().setHasText("Pending → Bound"));
            assertThat(binding).isVisible();
            binding.click();
            assertThat(window.panel()).containsText("spec.volumeName");
            assertThat(window.panel()).containsText("Caused by");
        }
    }

    @Test
    void compare_ofTwoMoments_listsWhatChanged() {
        try (Window window = bound()) {
            window.navigate(fixture.server().url() + "/ui/#/?rev=" + pending);
            window.button("Compare with now").click();

            Locator view = window.page().getByRole(AriaRole.TABPANEL, new Page.GetByRoleOptions().setName("Compare"));
            assertThat(view.getByRole(AriaRole.HEADING, new Locator.GetByRoleOptions().setName("Created")))
                    .isVisible();
            assertThat(view).containsText("pv/disk");
            assertThat(view).containsText(Pattern.compile("pvc/default/data.*status.phase.*Pending.*Bound"));
            window.screenshot("compare-1440-light");
        }
    }
}
