package dev.mooring.ui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.options.FilePayload;
import dev.mooring.ui.PageFixture.Window;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
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

    @BeforeAll
    static void start() throws IOException {
        fixture = PageFixture.start(data, Map.of("without", "node,pods"));
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @Test
    void bundle_chosen_showsItsStatesAndExplanations() throws IOException {
        try (Window window = fixture.open()) {
            window.page()
                    .getByLabel("Open a bundle…")
                    .setInputFiles(new FilePayload(NAME, "application/zip", bundle()));

            assertThat(window.inGraph("PersistentVolumeClaim", "shop/data", "Lost"))
                    .isVisible();
            assertThat(window.page().getByText("offline bundle")).isVisible();
            window.inGraph("PersistentVolumeClaim", "shop/data", "Lost").click();
            assertThat(window.panel()).containsText("PersistentVolume disk was deleted");
            window.screenshot("bundle-1440-light");

            window.page().keyboard().press("[");

            assertThat(window.inGraph("PersistentVolumeClaim", "shop/data", "Bound"))
                    .isVisible();
        }
    }

    @Test
    void bundle_droppedOnTheLivePage_isShownUntilClosed() throws IOException {
        fixture.createClaim("default", "live", "manual", "");
        try (Window window = fixture.signIn().ready()) {
            drop(window, NAME, bundle());
            assertThat(window.inGraph("PersistentVolumeClaim", "shop/data", "Lost"))
                    .isVisible();
            assertThat(window.inGraph("PersistentVolumeClaim", "default/live", "Pending"))
                    .not()
                    .isVisible();

            window.button("Close bundle").click();

            window.ready();
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

    /** Returns a bundle in which a bound claim becomes Lost, because its volume is deleted. */
    private static byte[] bundle() throws IOException {
        String claim = "{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'data','namespace':'shop',"
                + "'uid':'u1','creationTimestamp':'2026-01-02T03:00:00Z'},'spec':{'storageClassName':'manual',"
                + "'volumeName':'disk','resources':{'requests':{'storage':'1Gi'}}},'status':{'phase':'%s'}}";
        String volume = "{'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'disk','uid':'u2',"
                + "'creationTimestamp':'2026-01-02T03:00:00Z'},'spec':{'storageClassName':'manual','capacity':"
                + "{'storage':'1Gi'},'claimRef':{'namespace':'shop','name':'data','uid':'u1'}},'status':"
                + "{'phase':'Bound'}}";
        Map<String, String> files = new LinkedHashMap<>();
        files.put(
                "bundle.json",
                "{'format':1,'version':'0.1.0','node':'other','created':'2026-01-02T03:05:00Z',"
                        + "'from':{'revision':10,'time':'2026-01-02T03:04:00Z'},"
                        + "'to':{'revision':12,'time':'2026-01-02T03:04:05Z'}}");
        files.put(
                "snapshot.jsonl",
                "{'key':'persistentvolumeclaims/shop/data','revision':9,'object':" + claim.formatted("Bound") + "}\n"
                        + "{'key':'persistentvolumes/disk','revision':9,'object':" + volume + "}\n");
        files.put(
                "events.jsonl",
                "{'revision':11,'time':'2026-01-02T03:04:02Z','type':'PersistentVolumeDeleted','actor':'admin',"
                        + "'cause':{},'changes':[{'change':'removed','key':'persistentvolumes/disk','prior':9,'object':"
                        + volume
                        + "}]}\n"
                        + "{'revision':12,'time':'2026-01-02T03:04:05Z','type':'ClaimLost','actor':"
                        + "'persistentvolume-controller','cause':{'revision':11},'changes':[{'change':'put','key':"
                        + "'persistentvolumeclaims/shop/data','prior':9,'object':" + claim.formatted("Lost") + "}]}\n");
        files.put(
                "explain.json",
                "[{'kind':'Explanation','apiVersion':'mooring.dev/v1','object':{'resource':'persistentvolumeclaims',"
                        + "'kind':'PersistentVolumeClaim','namespace':'shop','name':'data','uid':'u1'},'revision':12,"
                        + "'time':'2026-01-02T03:04:05Z','state':'Lost','problem':true,"
                        + "'summary':'Claim shop/data is Lost: PersistentVolume disk was deleted.',"
                        + "'root':{'text':'PersistentVolume disk was deleted by admin.','severity':'failed',"
                        + "'revision':11}}]");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out, StandardCharsets.UTF_8)) {
            for (Map.Entry<String, String> each : files.entrySet()) {
                zip.putNextEntry(new ZipEntry(each.getKey()));
                zip.write(each.getValue().replace('\'', '"').getBytes(StandardCharsets.UTF_8));
            }
        }
        return out.toByteArray();
    }
}
