package dev.mooring.ui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;
import dev.mooring.ui.PageFixture.Window;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests in a browser that the page explains problems of several kinds, and offers the next command. */
@Timeout(600)
class PageExplainTest {
    @TempDir
    private static Path data;

    private static PageFixture fixture;

    @BeforeAll
    static void start() throws IOException {
        fixture = PageFixture.start(data, Map.of("without", "node,pods"));
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    private static Window explain(String object) {
        Window window = fixture.signIn().ready();
        window.navigate(fixture.server().url() + "/ui/#/?object=" + object);
        assertThat(window.tab("Explain")).hasAttribute("aria-selected", "true");
        return window;
    }

    @Test
    void pendingClaim_namesTheVolumesThatDoNotFit() {
        fixture.createVolume("wrong-class", "other");
        fixture.createClaim("default", "waiting", "manual", "");

        try (Window window = explain("pvc/default/waiting")) {
            assertThat(window.panel()).containsText("StorageClass manual does not exist");
            assertThat(window.panel()).containsText("wrong-class: class other is not manual");
            assertThat(window.panel()
                            .getByRole(AriaRole.HEADING, new Locator.GetByRoleOptions().setName("What to do next")))
                    .isVisible();
            window.screenshot("explain-1440-light");
        }
    }

    @Test
    void releasedVolume_namesTheDeletedClaimAndItsUser() throws Exception {
        fixture.createVolume("kept", "manual");
        fixture.createClaim("default", "short-lived", "manual", "kept");
        fixture.awaitPhase("/api/v1/persistentvolumes/kept", "Bound");
        fixture.api().delete("/api/v1/namespaces/default/persistentvolumeclaims/short-lived");
        fixture.awaitPhase("/api/v1/persistentvolumes/kept", "Released");

        try (Window window = explain("pv/kept")) {
            assertThat(window.panel()).containsText("Released");
            assertThat(window.panel()).containsText("short-lived");
            assertThat(window.panel()).containsText("admin");
        }
    }

    @Test
    void terminatingClaim_namesThePodThatUsesIt() throws Exception {
        fixture.createVolume("used", "manual");
        fixture.createClaim("default", "in-use", "manual", "used");
        fixture.createPod("default", "holder", "in-use");
        fixture.awaitPhase("/api/v1/persistentvolumes/used", "Bound");
        fixture.api().delete("/api/v1/namespaces/default/persistentvolumeclaims/in-use");

        try (Window window = explain("pvc/default/in-use")) {
            assertThat(window.panel()).containsText("Terminating");
            assertThat(window.panel()).containsText("holder");
            assertThat(window.panel().getByLabel("Command").first()).isVisible();
        }
    }

    @Test
    void lostClaim_namesTheDeletedVolume() throws Exception {
        fixture.createVolume("vanished", "manual");
        fixture.createClaim("default", "orphan", "manual", "vanished");
        fixture.awaitPhase("/api/v1/namespaces/default/persistentvolumeclaims/orphan", "Bound");
        fixture.removeVolume("vanished");
        fixture.awaitPhase("/api/v1/namespaces/default/persistentvolumeclaims/orphan", "Lost");

        try (Window window = explain("pvc/default/orphan")) {
            assertThat(window.panel()).containsText("Lost");
            assertThat(window.panel()).containsText("vanished");
            assertThat(window.panel()).containsText(Pattern.compile("rev \\d+"));
        }
    }
}
