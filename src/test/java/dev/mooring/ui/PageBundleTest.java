package dev.mooring.ui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.FilePayload;
import com.microsoft.playwright.options.RequestOptions;
import dev.mooring.ui.PageFixture.Window;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the page opens a bundle of another machine in a browser, without a sign-in and without a request. */
@Timeout(600)
class PageBundleTest {
    private static final String NAME = "mooring-bundle-other.zip";

    @TempDir
    private static Path data;

    private static PageFixture fixture;
    private static byte[] bundle;

    /** Makes a bundle in which a bound claim becomes Lost, because its volume is deleted. */
    @BeforeAll
    static void start() throws Exception {
        fixture = PageFixture.start(data, Map.of("without", "node,pods"));
        String claim = "/api/v1/namespaces/shop/persistentvolumeclaims/data";
        fixture.createNamespace("shop");
        fixture.createVolume("disk", "manual");
        fixture.createClaim("shop", "data", "manual", "disk");
        fixture.awaitPhase(claim, "Bound");
        fixture.removeVolume("disk");
        fixture.awaitPhase(claim, "Lost");
        bundle = download();
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @Test
    void bundle_chosen_showsItsStatesAndExplanations() {
        try (Window window = fixture.open()) {
            window.page().getByLabel("Open a bundle…").setInputFiles(new FilePayload(NAME, "application/zip", bundle));

            assertThat(window.inGraph("PersistentVolumeClaim", "shop/data", "Lost"))
                    .isVisible();
            assertThat(window.page().getByText("offline bundle")).isVisible();
            window.inGraph("PersistentVolumeClaim", "shop/data", "Lost").click();
            assertThat(window.panel()).containsText("PersistentVolume disk was deleted");
            window.screenshot("bundle-1440-light");

            Locator bound = window.inGraph("PersistentVolumeClaim", "shop/data", "Bound");
            for (int i = 0; i < 20 && !bound.isVisible(); i++) {
                window.page().keyboard().press("[");
            }
            assertThat(bound).isVisible();
        }
    }

    @Test
    void bundle_droppedOnTheLivePage_isShownUntilClosed() {
        fixture.createClaim("default", "live", "manual", "");
        try (Window window = fixture.signIn().ready()) {
            drop(window, NAME, bundle);
            assertThat(window.inGraph("PersistentVolumeClaim", "shop/data", "Lost"))
                    .isVisible();
            assertThat(window.inGraph("PersistentVolumeClaim", "default/live", "Pending"))
                    .not()
                    .isVisible();

            window.page().keyboard().press("[");
            assertThat(window.banner()).containsText("read only");

            window.button("Close bundle").click();

            window.ready();
            assertThat(window.banner()).isEmpty();
            assertThat(window.inGraph("PersistentVolumeClaim", "default/live", "Pending"))
                    .isVisible();
        }
    }

    @Test
    void otherFile_dropped_isRefusedWithAMessage() {
        try (Window window = fixture.signIn().ready()) {
            drop(window, "notes.txt", "not a bundle".getBytes(StandardCharsets.UTF_8));

            assertThat(window.page().getByText("Cannot open notes.txt")).isVisible();
        }
    }

    private static void drop(Window window, String name, byte[] content) {
        window.page().evaluate("""
            ([name, text]) => {
              const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
              const dataTransfer = new DataTransfer();
              dataTransfer.items.add(new File([bytes], name));
              document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
            }\
            """, List.of(name, Base64.getEncoder().encodeToString(content)));
    }

    /** Returns a bundle of the server. */
    private static byte[] download() {
        try (Window window = fixture.open()) {
            APIResponse response = window.page()
                    .request()
                    .get(
                            fixture.server().url() + "/apis/mooring.dev/v1/debug/bundle",
                            RequestOptions.create().setHeader("Authorization", "Bearer " + fixture.adminToken()));
            assertThat(response).isOK();
            return response.body();
        }
    }
}
