package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.server.ProcessEnvironment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code mooring history}: requests, lines, hidden events and errors, against prepared responses. */
class HistoryCommandTest {
    @TempDir
    private Path directory;

    private FakeApiServer server;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void start() throws IOException, GeneralSecurityException {
        server = FakeApiServer.start(directory.resolve("pki"));
        server.kubeconfig(directory.resolve("kubeconfig"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private int run(String... args) {
        String[] all = new String[args.length + 3];
        all[0] = "history";
        System.arraycopy(args, 0, all, 1, args.length);
        all[all.length - 2] = "--kubeconfig";
        all[all.length - 1] = directory.resolve("kubeconfig").toString();
        return new Cli(new ProcessEnvironment(
                        Clock.systemUTC(),
                        new SecureRandom(),
                        new Random(1),
                        Map.of(),
                        "testhost",
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8)))
                .run(all);
    }

    private static String item(long revision, boolean folded, String... changes) {
        return "{'revision':" + revision + ",'time':'2026-01-02T03:04:05.006Z','type':'Put','actor':'admin','cause':{},"
                + "'reason':'','folded':" + folded + ",'changes':[" + String.join(",", changes) + "]}";
    }

    private static String change(String kind, String resource, String name, String summary) {
        return "{'change':'" + kind + "','resource':'" + resource + "','kind':'X',"
                + (resource.equals("persistentvolumes") ? "" : "'namespace':'shop',") + "'name':'" + name
                + "','summary':'" + summary + "','fields':[]}";
    }

    private static String claim(String kind, String summary) {
        return change(kind, "persistentvolumeclaims", "data", summary);
    }

    private static String page(String next, String... items) {
        return "{'kind':'HistoryList','metadata':{'resourceVersion':'90','continue':'" + next + "'},'items':["
                + String.join(",", items) + "]}";
    }

    private String path(int request) {
        return server.requests().get(request).path();
    }

    @Test
    void object_allPages_areOneTable() {
        server.enqueue(200, page("next+1", item(8, false, claim("created", "phase Pending"))));
        server.enqueue(
                200,
                page(
                        "",
                        item(12, true, claim("updated", "since a → b")),
                        item(
                                123,
                                false,
                                change("updated", "persistentvolumes", "pv1", "phase Available → Bound"),
                                claim("updated", "phase Pending → Bound")),
                        item(124, false, claim("deleted", ""))));

        assertThat(run("pvc/data", "-n", "shop", "--since", "1h", "--actor", "a b"))
                .isZero();
        assertThat(out())
                .containsExactly(
                        "REVISION  TIME                      ACTOR  TYPE  CHANGE",
                        "8         2026-01-02T03:04:05.006Z  admin  Put   created: phase Pending",
                        "123       2026-01-02T03:04:05.006Z  admin  Put   phase Pending → Bound",
                        "124       2026-01-02T03:04:05.006Z  admin  Put   deleted");
        assertThat(err()).contains("… 1 status update hidden; --all shows them");
        assertThat(path(0))
                .isEqualTo("/apis/mooring.dev/v1/history?limit=500&object=persistentvolumeclaims%2Fshop%2Fdata"
                        + "&actor=a%20b&from=1h");
        assertThat(path(1)).isEqualTo(path(0) + "&continue=next%2B1");
    }

    @Test
    void everything_showsAllObjectsOfAnEvent_andHiddenOnesIfAsked() {
        String bound = item(
                        9,
                        true,
                        change("updated", "persistentvolumes", "pv1", "phase Bound"),
                        claim("deleted", ""),
                        change("created", "events", "e", "Warning"))
                .replace("'reason':''", "'reason':'Full'");
        server.enqueue(200, page("", bound));

        assertThat(run("--all", "--until", "40", "-n", "shop")).isZero();
        assertThat(out().get(1)).endsWith("~pv/pv1 phase Bound; -pvc/shop/data; +ev/shop/e Warning  (Full)");
        assertThat(err()).isEmpty();
        assertThat(path(0)).isEqualTo("/apis/mooring.dev/v1/history?limit=500&namespace=shop&to=40");
    }

    @Test
    void tail_countsShownEventsOnly_andPrintsOldestFirst() {
        server.enqueue(
                200, page("more", item(50, false, claim("updated", "c")), item(49, true, claim("updated", "hidden"))));
        server.enqueue(
                200, page("even-more", item(40, false, claim("updated", "b")), item(30, false, claim("updated", "a"))));

        assertThat(run("pvc", "data", "-n", "shop", "--tail", "2")).isZero();
        assertThat(out()).hasSize(3);
        assertThat(out().get(1)).startsWith("40 ").endsWith("b");
        assertThat(out().get(2)).startsWith("50 ").endsWith("c");
        assertThat(path(0)).contains("order=desc&limit=2&");
        assertThat(server.requests()).hasSize(2);
    }

    @Test
    void json_isOneEventPerLine_withHiddenOnes() {
        server.enqueue(200, page("", item(1, true, claim("updated", "x")), item(2, false, claim("updated", "y"))));

        assertThat(run("pvc/data", "-n", "shop", "-o", "json")).isZero();
        assertThat(out()).hasSize(2).allMatch(line -> line.startsWith("{\"revision\":"));
        assertThat(err()).isEmpty();
    }

    @Test
    void causes_ofTheLastShownEvent_arePrintedFromTheRequestOn() {
        server.enqueue(
                200, page("", item(50, true, claim("updated", "hidden")), item(40, false, claim("updated", "b"))));
        server.enqueue(
                200,
                page("", item(40, false, claim("updated", "b")), item(31, false, claim("created", "a")))
                        .replace("'continue'", "'truncated':true,'continue'"));

        assertThat(run("pvc/data", "-n", "shop", "--causes", "--at", "60")).isZero();
        assertThat(out()).hasSize(3);
        assertThat(out().get(1)).startsWith("31 ").endsWith("+pvc/shop/data a");
        assertThat(out().get(2)).startsWith("40 ").endsWith("~pvc/shop/data b");
        assertThat(path(0)).contains("&to=60");
        assertThat(path(1)).isEqualTo("/apis/mooring.dev/v1/history?causes=40");
        assertThat(err()).contains("more events are not shown");
    }

    @Test
    void follow_continuesAfterTheListAndFailsWithTheServersError() {
        server.enqueue(200, page("", item(1, false, claim("created", "a"))));
        server.enqueue(
                200,
                "{'type':'ADDED','object':" + item(91, false, claim("updated", "b")) + "}\n"
                        + "{'type':'BOOKMARK','object':{'metadata':{'resourceVersion':'95'}}}\n");
        server.enqueue(
                200,
                "{'type':'ERROR','object':{'code':410,'reason':'Expired','message':'too old resource version'}}\n");

        assertThat(run("pvc/data", "-n", "shop", "-f")).isEqualTo(3);
        assertThat(out()).hasSize(3);
        assertThat(out().get(2)).startsWith("91 ").endsWith("b");
        assertThat(path(1))
                .isEqualTo("/apis/mooring.dev/v1/history?watch=true&from=91"
                        + "&object=persistentvolumeclaims%2Fshop%2Fdata");
        assertThat(path(2)).contains("from=96");
        assertThat(err()).contains("too old resource version");
    }

    @Test
    void retention_isReported() {
        server.enqueue(
                200,
                page("", item(70, false, claim("updated", "a")))
                        .replace("'continue'", "'oldestRevision':'66','continue'"));

        assertThat(run("pvc/data", "-n", "shop")).isZero();
        assertThat(err()).contains("… events before revision 66 are not retained");
    }

    @Test
    void nothing_isReported() {
        server.enqueue(200, page(""));

        assertThat(run("--type", "Nothing")).isZero();
        assertThat(out()).isEmpty();
        assertThat(err()).contains("No event matches");
    }

    @Test
    void unknownObjectOrType_isNotFound() {
        server.enqueue(404, "{'code':404,'reason':'NotFound','message':'not found; did you mean \\'data\\'?'}");
        assertThat(run("pvc/dta")).isEqualTo(3);
        assertThat(err()).contains("did you mean");
        assertThat(run("pvcs/data")).isEqualTo(3);
        assertThat(err()).contains("Unknown type \"pvcs\"; did you mean pvc?");
        assertThat(server.requests()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pvc",
                "--tail 0",
                "--causes --effects",
                "-f --until 5",
                "-f --causes",
                "--since yesterday",
                "--at 1x"
            })
    void invalidOptions_areUsageErrors(String args) {
        assertThat(run(args.split(" "))).isEqualTo(2);
        assertThat(server.requests()).isEmpty();
    }

    private List<String> out() {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
