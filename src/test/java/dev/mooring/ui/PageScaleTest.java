package dev.mooring.ui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.options.AriaRole;
import dev.mooring.ui.PageFixture.Window;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the page with 1,000 objects in a browser: the grouped graph, the table, filters and the scrubber. */
@Timeout(600)
class PageScaleTest {
    @Test
    void thousandObjects_areGroupedListedFilteredAndScrubbed(@TempDir Path data) throws Exception {
        try (PageFixture fixture = PageFixture.start(data, Map.of("without", "node,pods"))) {
            fixture.fill(400);
            fixture.awaitPhase("/api/v1/namespaces/default/persistentvolumeclaims/claim-0399", "Bound");
            try (Window window = fixture.signIn().ready()) {
                // While the page still loads past events, the sign-in already survives a reload.
                window.reload();
                window.ready();
                assertThat(window.page()
                                .getByRole(AriaRole.GROUP)
                                .getByText("manual")
                                .first())
                        .isVisible();
                window.screenshot("thousand-graph-1440-light");
                window.tab("Table").click();
                assertThat(window.row("vol-0000").first()).isVisible();
                window.screenshot("thousand-table-1440-light");

                window.page().getByLabel("Search").fill("claim-0399");

                assertThat(window.row("claim-0399").first()).isVisible();
                assertThat(window.row("vol-0000")).hasCount(0);
                window.page().getByLabel("Search").fill("");
                window.slider().press("ArrowLeft");
                assertThat(window.banner()).containsText("read only");
                window.slider().press("PageDown");
                window.page().getByLabel("Search").fill("claim-03");
                assertThat(window.row("claim-0300").first()).isVisible();
                assertThat(window.row("claim-0399")).hasCount(0);
            }
        }
    }
}
