package dev.mooring.ui;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.PlaywrightException;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.mooring.api.auth.TokenMint;
import dev.mooring.cli.ApiClient;
import dev.mooring.cli.ServerAccess;
import dev.mooring.model.Json;
import dev.mooring.server.MooringException;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.ConditionPoller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A server, a client of its API as the admin, and browser windows with its page. A window fails its test if the page
 * logs an error or violates its Content-Security-Policy.
 */
public final class PageFixture implements AutoCloseable {
    private final Server server;
    private final ServerAccess access;
    private final ApiClient api;

    private PageFixture(Server server) throws IOException {
        this.server = server;
        this.access = ServerAccess.read(server.kubeconfig());
        this.api = new ApiClient(access, Duration.ofSeconds(90));
    }

    public static PageFixture start(Path data) throws IOException {
        return start(data, Map.of());
    }

    public static PageFixture start(Path data, Map<String, String> settings) throws IOException {
        return new PageFixture(ServerFixture.start(data, settings));
    }

    public Server server() {
        return server;
    }

    ApiClient api() {
        return api;
    }

    String adminToken() {
        return access.token();
    }

    /** Creates an object; the JSON may have single quotes. */
    ObjectNode create(String path, String json) {
        try {
            return api.create(path, (ObjectNode) Json.MAPPER.readTree(json.replace('\'', '"')));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates a PersistentVolume without data. */
    void createVolume(String name, String className) {
        create(
                "/api/v1/persistentvolumes",
                "{'metadata':{'name':'" + name + "'},'spec':{'storageClassName':'" + className
                        + "','capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'hostPath':{'path':'/srv/"
                        + name + "'}}}");
    }

    void createClaim(String namespace, String name, String className, String volume) {
        create(
                "/api/v1/namespaces/" + namespace + "/persistentvolumeclaims",
                "{'metadata':{'name':'" + name + "'},'spec':{'storageClassName':'" + className
                        + "','accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}"
                        + (volume.isEmpty() ? "" : ",'volumeName':'" + volume + "'") + "}}");
    }

    /** Creates a Pod that uses a claim, on the server's node. */
    void createPod(String namespace, String name, String claim) {
        create(
                "/api/v1/namespaces/" + namespace + "/pods",
                "{'metadata':{'name':'" + name + "'},'spec':{'nodeName':'testhost','containers':[{'name':'c',"
                        + "'image':'busybox',"
                        + "'volumeMounts':[{'name':'v','mountPath':'/v'}]}],'volumes':[{'name':'v',"
                        + "'persistentVolumeClaim':{'claimName':'" + claim + "'}}]}}");
    }

    /** Deletes a PersistentVolume that its finalizer protects. */
    void removeVolume(String name) {
        String path = "/api/v1/persistentvolumes/" + name;
        ObjectNode changes = Json.MAPPER.createObjectNode();
        changes.putObject("metadata").putNull("finalizers");
        api.delete(path);
        api.patch(path, changes);
    }

    /** Waits until the object at the path has the phase. */
    void awaitPhase(String path, String phase) throws Exception {
        ConditionPoller.until(
                () -> api.get(path).path("status").path("phase").asText().equals(phase));
    }

    /** Waits until the API serves requests again. */
    void awaitApi() throws Exception {
        ConditionPoller.until(() -> {
            try {
                return api.get("/version").has("gitVersion");
            } catch (MooringException e) {
                return false;
            }
        });
    }

    /** Returns the newest revision. */
    long revision() {
        return server.stateStore().ledger().world().revision();
    }

    void createNamespace(String name) {
        create("/api/v1/namespaces", "{'metadata':{'name':'" + name + "'}}");
    }

    /** Creates volumes, a claim bound to each, and a Pod for every other one: 1000 objects for 400. */
    public void fill(int volumes) {
        for (int i = 0; i < volumes; i++) {
            String number = String.format(Locale.ROOT, "%04d", i);
            createVolume("vol-" + number, "manual");
            createClaim("default", "claim-" + number, "manual", "vol-" + number);
            if (i % 2 == 0) {
                createPod("default", "pod-" + number, "claim-" + number);
            }
        }
    }

    /** Creates a token with a spec such as {@code 'role':'view'} and returns its clear text. */
    String createToken(String name, String spec) {
        TokenMint.MintedToken minted = new TokenMint(new SecureRandom()).mint(name);
        create(
                "/apis/mooring.dev/v1/tokens",
                "{'metadata':{'name':'" + name + "'},'spec':{'sha256':'" + minted.sha256() + "'," + spec + "}}");
        return minted.text();
    }

    /** Opens the page in a new session, without signing in. */
    Window open() {
        return open(server.url() + "/ui/");
    }

    /** Opens an address in a new session. */
    Window open(String address) {
        return open(address, TestBrowser.shared().session(1440, 900, ColorScheme.LIGHT));
    }

    Window open(String address, BrowserContext session) {
        Window window = new Window(session);
        window.navigate(address);
        return window;
    }

    /** Opens the page with the link that the server prints, which signs in. */
    public Window signIn() {
        return open(server.pageLink().orElseThrow());
    }

    Window signIn(BrowserContext session) {
        return open(server.pageLink().orElseThrow(), session);
    }

    @Override
    public void close() {
        server.close();
    }

    /** A browser window. */
    public static final class Window implements AutoCloseable {
        private static final String NETWORK_CHANGED = "ERR_NETWORK_CHANGED";
        private static final Pattern LIVE = Pattern.compile("live rev [\\d,.]+");
        private static final String GRAPH = "Graph of storage classes, volumes, claims, Pods and mounts";

        private final BrowserContext session;
        private final Page page;
        private final List<String> errors = new ArrayList<>();
        private Pattern expected = Pattern.compile("(?!)");

        private Window(BrowserContext session) {
            this.session = session;
            session.setDefaultTimeout(TestBrowser.TIMEOUT_MILLIS);
            this.page = session.newPage();
            page.onConsoleMessage(this::logged);
            page.onPageError(error -> errors.add("uncaught " + error));
            page.onCrash(crashed -> errors.add("the page crashed"));
            page.addInitScript("addEventListener('securitypolicyviolation', violation =>"
                    + " console.error(`CSP ${violation.violatedDirective} ${violation.blockedURI}`))");
        }

        private void logged(ConsoleMessage message) {
            // Chromium ends all connections when an interface is added, for example by a Docker engine in another test.
            boolean elsewhere = message.text().contains(NETWORK_CHANGED);
            if (!elsewhere && (message.type().equals("error") || message.type().equals("warning"))) {
                errors.add(message.type() + " " + message.text() + " at " + message.location());
            }
        }

        /** Opens an address of the page. */
        void navigate(String address) {
            load(() -> page.navigate(address));
        }

        void reload() {
            load(page::reload);
        }

        /** Sends a request, and again if a change of the network interrupted it. The page reloads its other files. */
        private static void load(Runnable request) {
            try {
                request.run();
            } catch (PlaywrightException e) {
                if (!e.getMessage().contains(NETWORK_CHANGED) && !e.getMessage().contains("chrome-error:")) {
                    throw e;
                }
                load(request);
            }
        }

        public Page page() {
            return page;
        }

        /** Waits until the page shows the live state. */
        public Window ready() {
            PlaywrightAssertions.assertThat(page.getByText(LIVE)).isVisible();
            return this;
        }

        /** Returns an object in the graph: its kind, namespace, name and state. */
        Locator inGraph(String kind, String name, String state) {
            return page.getByRole(AriaRole.GROUP, new Page.GetByRoleOptions().setName(GRAPH))
                    .getByRole(
                            AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(kind + " " + name + ", " + state));
        }

        /** Returns the panel of the selected object. */
        Locator panel() {
            return page.getByRole(AriaRole.COMPLEMENTARY, new Page.GetByRoleOptions().setName("Object"));
        }

        /** Returns the banner that states a past revision; it is empty while live. */
        Locator banner() {
            return page.getByRole(AriaRole.STATUS, new Page.GetByRoleOptions().setName("Shown revision"));
        }

        /** Returns the scrubber of the timeline. */
        Locator slider() {
            return page.getByRole(AriaRole.SLIDER, new Page.GetByRoleOptions().setName("Revision"));
        }

        Locator button(String name) {
            return page.getByRole(
                    AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
        }

        Locator tab(String name) {
            return page.getByRole(
                    AriaRole.TAB, new Page.GetByRoleOptions().setName(name).setExact(true));
        }

        /** Returns a row of the table whose cells contain the text. */
        Locator row(String text) {
            return page.getByRole(AriaRole.GRID, new Page.GetByRoleOptions().setName("Objects"))
                    .getByRole(AriaRole.ROW)
                    .filter(new Locator.FilterOptions().setHasText(text));
        }

        /** Declares errors that the test causes, such as the browser's own report of a response with 401. */
        public Window expectingErrors(String pattern) {
            expected = Pattern.compile(pattern);
            return this;
        }

        /** Takes a screenshot for {@code docs/images} and for people who review a change. */
        public void screenshot(String name) {
            page.screenshot(new Page.ScreenshotOptions().setPath(Path.of("build", "screenshots", name + ".png")));
        }

        @Override
        public void close() {
            session.close();
            assertThat(errors)
                    .as("errors in the browser's console")
                    .filteredOn(each -> !expected.matcher(each).find())
                    .isEmpty();
        }
    }
}
