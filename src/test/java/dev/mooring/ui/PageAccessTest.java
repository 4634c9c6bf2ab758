package dev.mooring.ui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;
import dev.mooring.server.MooringException;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.ui.PageFixture.Window;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the sign-in in a browser, and that the page shows only what its user may read. */
@Timeout(600)
class PageAccessTest {
    @TempDir
    private static Path data;

    private static PageFixture fixture;

    @BeforeAll
    static void start() throws IOException {
        fixture = PageFixture.start(data, Map.of("without", "node,pods"));
        for (String namespace : new String[] {"shop", "bank"}) {
            fixture.createNamespace(namespace);
            fixture.createClaim(namespace, "data-of-" + namespace, namespace, "");
        }
        fixture.createVolume("disk", "shop");
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @Test
    void link_signsInAndItsCodeLeavesTheAddress() {
        try (Window window = fixture.signIn().ready()) {
            assertThat(window.inGraph("PersistentVolumeClaim", "shop/data-of-shop", "Bound"))
                    .isVisible();
            assertThat(window.page()).not().hasURL(Pattern.compile("code="));

            window.reload();

            assertThat(window.inGraph("PersistentVolumeClaim", "shop/data-of-shop", "Bound"))
                    .isVisible();
        }
    }

    @Test
    void link_usedAgain_showsTheWayOut() {
        String link = fixture.server().pageLink().orElseThrow();
        try (Window first = fixture.open(link).ready();
                Window second = fixture.open(link).expectingErrors("401")) {
            assertThat(second.page().getByRole(AriaRole.ALERT)).containsText("mooring token page");
        }
    }

    @Test
    void token_wrong_showsTheErrorAndTheRightOneSignsIn() {
        try (Window window = fixture.open().expectingErrors("401")) {
            signIn(window, "mrg_nobody_wrong");
            assertThat(window.page().getByRole(AriaRole.ALERT)).isVisible();
            window.screenshot("sign-in-error");

            signIn(window, fixture.createToken("anna", "'role':'view'"));

            window.ready();
            assertThat(window.inGraph("PersistentVolumeClaim", "shop/data-of-shop", "Bound"))
                    .isVisible();
        }
    }

    @Test
    void signOut_forgetsTheToken() {
        try (Window window = fixture.signIn().ready()) {
            window.button("Sign out").click();
            assertThat(tokenField(window)).isVisible();

            window.reload();

            assertThat(tokenField(window)).isVisible();
        }
    }

    @Test
    void token_revoked_asksForANewSignIn() {
        String token = fixture.createToken("gone", "'role':'view'");
        try (Window window = fixture.open().expectingErrors("401")) {
            signIn(window, token);
            window.ready();
            fixture.api().delete("/apis/mooring.dev/v1/tokens/gone");

            window.reload();

            assertThat(tokenField(window)).isVisible();
        }
    }

    @Test
    void userOfOneNamespace_seesNothingOfAnother() {
        try (Window window = fixture.open()) {
            signIn(window, fixture.createToken("ben", "'role':'view','namespaces':['shop']"));
            window.ready();
            assertThat(window.inGraph("PersistentVolumeClaim", "shop/data-of-shop", "Bound"))
                    .isVisible();
            for (String view : new String[] {"Graph", "Table", "Events", "Compare"}) {
                window.tab(view).click();
                assertThat(window.tab(view)).hasAttribute("aria-selected", "true");
                assertThat(window.page().locator("body")).not().containsText("data-of-bank");
            }
            fixture.createClaim("bank", "second-data-of-bank", "bank", "");
            fixture.createClaim("shop", "second-data-of-shop", "shop", "");
            window.tab("Table").click();
            assertThat(window.row("second-data-of-shop")).isVisible();
            assertThat(window.page().locator("body")).not().containsText("data-of-bank");

            window.navigate(fixture.server().url() + "/ui/#/?object=pvc/bank/data-of-bank");

            assertThat(window.panel()).containsText("Does not exist");
            Assertions.assertThat(window.panel().innerText()).doesNotContain("Bound");
            window.expectingErrors("403|404");
        }
    }

    @Test
    void connection_lostAndRestored_continuesLive() throws Exception {
        try (Window window = fixture.signIn().ready()) {
            // The browser reports each refused connection.
            window.expectingErrors("ERR_|Failed to (fetch|load)");
            fixture.server().supervisor().kill("api", "test").await();
            fixture.awaitApi();
            // The supervisor may restart the verticle once more while its port is still in use.
            ConditionPoller.until(() -> {
                try {
                    fixture.createClaim("shop", "created-later", "shop", "");
                    return true;
                } catch (MooringException e) {
                    return e.getMessage().contains("already exists");
                }
            });

            assertThat(window.inGraph("PersistentVolumeClaim", "shop/created-later", "Pending"))
                    .isVisible();
        }
    }

    private static Locator tokenField(Window window) {
        return window.page().getByLabel("Token, or link with a one-time code");
    }

    private static void signIn(Window window, String token) {
        tokenField(window).fill(token);
        window.button("Sign in").click();
    }
}
