package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Tests {@code mooring get}, {@code describe} and {@code diff}. */
@Timeout(300)
class PastReadingCommandsTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path directory;

    private Path kubeconfig;

    private int mooring(String... args) {
        out.reset();
        err.reset();
        return new Cli(ServerFixture.ambient(Map.of("MOORING_KUBECONFIG", kubeconfig.toString()), out, err)).run(args);
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    /** Tests with prepared responses. */
    @Nested
    class OfPreparedResponses {
        private static final String TABLE = "{'columnDefinitions':[{'name':'Name','priority':0},{'name':'Status',"
                + "'priority':0},{'name':'Mode','priority':1},{'name':'Age','priority':0}],'metadata':{},'rows':["
                + "{'cells':['data','Bound','Filesystem','5m'],'object':{'metadata':{'namespace':'shop'}}},"
                + "{'cells':['a-long-name','Pending','Block','3s'],'object':{'metadata':{'namespace':'default'}}}]}";
        private static final String NOW = "{'revision':812,'time':'2026-01-02T03:04:05Z','items':[]}";

        private FakeApiServer server;

        @BeforeEach
        void start() throws IOException, GeneralSecurityException {
            server = FakeApiServer.start(directory.resolve("pki"));
            kubeconfig = server.kubeconfig(directory.resolve("kubeconfig"));
        }

        @AfterEach
        void stop() {
            server.close();
        }

        private String requested(int index) {
            return server.requests().get(index).path();
        }

        @Test
        void get_table_alignsColumnsAsKubectl() {
            server.enqueue(200, TABLE);
            assertThat(mooring("get", "pvc", "-n", "shop")).as(errors()).isZero();
            assertThat(printed()).isEqualTo("""
                NAME          STATUS    AGE
                data          Bound     5m
                a-long-name   Pending   3s
                """);
            assertThat(errors()).isEmpty();
            assertThat(requested(0)).isEqualTo("/api/v1/namespaces/shop/persistentvolumeclaims?limit=500");
        }

        @Test
        void get_wideOfAllNamespaces_followsPages() {
            server.enqueue(200, TABLE.replace("'metadata':{},", "'metadata':{'continue':'next'},"))
                    .enqueue(200, TABLE);
            assertThat(mooring("get", "pvc", "-A", "-o", "wide", "-l", "app in (a,b)"))
                    .as(errors())
                    .isZero();
            assertThat(printed().lines().toList())
                    .hasSize(5)
                    .contains("NAMESPACE   NAME          STATUS    MODE         AGE")
                    .contains("shop        data          Bound     Filesystem   5m");
            assertThat(requested(0))
                    .isEqualTo("/api/v1/persistentvolumeclaims?labelSelector=app%20in%20%28a%2Cb%29&limit=500");
            assertThat(requested(1)).endsWith("&limit=500&continue=next");
        }

        @Test
        void get_at_printsTheMomentOnStderr() {
            server.enqueue(200, TABLE).enqueue(200, NOW);
            assertThat(mooring("get", "sc/fast", "--at", "10m")).as(errors()).isZero();
            assertThat(errors())
                    .startsWith("# revision 812, 2026-01-02T03:04:05Z (")
                    .contains(" ago)\n");
            assertThat(requested(0)).isEqualTo("/apis/storage.k8s.io/v1/storageclasses/fast?at=10m");
            assertThat(requested(1)).isEqualTo("/apis/mooring.dev/v1/world?at=10m&resources=storageclasses");
        }

        @Test
        void get_nothing_saysSoOnStderr() {
            server.enqueue(200, "{'columnDefinitions':[{'name':'Name'}],'rows':[]}")
                    .enqueue(200, "{'items':[]}");
            assertThat(mooring("get", "pod")).isZero();
            assertThat(errors()).isEqualTo("No resources found in default namespace.\n");
            assertThat(mooring("get", "pv", "-o", "name")).isZero();
            assertThat(errors()).isEqualTo("No resources found\n");
            assertThat(printed()).isEmpty();
        }

        @Test
        void get_unknownTypeOrName_namesTheNearest() {
            assertThat(mooring("get", "pvcs")).isEqualTo(3);
            assertThat(errors()).contains("Unknown type \"pvcs\"; did you mean pvc?");
            assertThat(server.requests()).isEmpty();
            server.enqueue(404, "{'reason':'NotFound','message':'pods \\\"wep\\\" not found'}")
                    .enqueue(403, "{'reason':'Forbidden','message':'not in all namespaces'}")
                    .enqueue(200, "{'items':[{'metadata':{'name':'web'}},{'metadata':{'name':'db'}}]}");
            assertThat(mooring("get", "pod", "wep")).isEqualTo(3);
            assertThat(errors()).contains("pods \"wep\" not found; did you mean web?");
            assertThat(mooring("get", "a/b/c")).isEqualTo(3);
            assertThat(mooring("get", "pod/web", "more")).isEqualTo(3);
            assertThat(mooring("describe", "pod")).isEqualTo(2);
        }

        @Test
        void diff_summary_hasObjectsAndMounts() {
            server.enqueue(
                    200,
                    "{'from':{'revision':1},'to':{'revision':9,'time':'2026-01-02T03:04:05Z'},'items':["
                            + "{'change':'created','resource':'persistentvolumeclaims','kind':'PersistentVolumeClaim',"
                            + "'namespace':'shop','name':'data','summary':'phase Bound'},"
                            + "{'change':'deleted','resource':'storageclasses','kind':'StorageClass','name':'fast'},"
                            + "{'change':'updated','resource':'actualvolumes','kind':'ActualVolume','name':'av1',"
                            + "'summary':'state Mounting → Mounted'}]}");
            assertThat(mooring("diff", "--from", "1", "--to", "2026-01-02T03:04:05Z", "-n", "shop"))
                    .as(errors())
                    .isZero();
            assertThat(printed()).isEqualTo("""
                Objects:
                  + pvc/shop/data  phase Bound
                  - sc/fast
                Mounts:
                  ~ av/av1  state Mounting → Mounted
                """);
            assertThat(errors()).startsWith("# from revision 1\n# to   revision 9, 2026-01-02T03:04:05Z (");
            assertThat(requested(0))
                    .isEqualTo("/apis/mooring.dev/v1/diff?from=1&to=2026-01-02T03%3A04%3A05Z&namespace=shop");
        }

        @Test
        void diff_yamlAndPatch_printBothStates() throws IOException {
            String diff = "{'from':{'revision':1},'to':{'revision':9},'items':[{'change':'updated','resource':'pods',"
                    + "'kind':'Pod','namespace':'shop','name':'web','summary':'x','patch':[{'op':'add','path':'/a'}],"
                    + "'before':{'kind':'Pod','a':1},'after':{'kind':'Pod','a':'2'}}]}";
            server.enqueue(200, diff).enqueue(200, diff).enqueue(200, "{'from':{},'to':{},'items':[]}");
            assertThat(mooring("diff", "--from", "1h", "-o", "yaml"))
                    .as(errors())
                    .isZero();
            assertThat(printed()).isEqualTo("--- po/shop/web\n+++ po/shop/web\n kind: Pod\n-a: 1\n+a: \"2\"\n");
            assertThat(requested(0)).endsWith("?from=1h&view=full");
            assertThat(mooring("diff", "--from", "1h", "-o", "json-patch"))
                    .as(errors())
                    .isZero();
            assertThat(Json.MAPPER.readTree(printed()).at("/0/patch/0/op").asText())
                    .isEqualTo("add");
            assertThat(mooring("diff", "--from", "1h")).isZero();
            assertThat(errors()).contains("No differences.");
            assertThat(mooring("diff")).isEqualTo(2);
        }
    }

    @Test
    void commands_onAServer_readThePast() throws Exception {
        Server server = ServerFixture.start(directory);
        try {
            kubeconfig = server.kubeconfig();
            ApiClient client = ServerOption.client(ServerAccess.read(kubeconfig));
            ObjectNode volume = client.create("/api/v1/persistentvolumes", (ObjectNode)
                    Json.MAPPER.readTree("{\"metadata\":{\"name\":\"pv1\"},\"spec\":{\"capacity\":"
                            + "{\"storage\":\"1Gi\"},\"accessModes\":[\"ReadWriteOnce\"],\"storageClassName\":\"none\","
                            + "\"nfs\":{\"server\":\"127.0.0.1\",\"path\":\"/x\"}}}"));
            String created = volume.at("/metadata/resourceVersion").asText();
            client.patch("/api/v1/persistentvolumes/pv1", (ObjectNode)
                    Json.MAPPER.readTree("{\"metadata\":{\"labels\":{\"tier\":\"gold\"}}}"));

            assertThat(mooring("get", "pv", "-l", "tier=gold", "-o", "name")).isZero();
            assertThat(printed()).isEqualTo("persistentvolume/pv1\n");
            assertThat(mooring("get", "pv", "-l", "tier=gold", "--at", created)).isZero();
            assertThat(printed()).isEmpty();
            assertThat(errors()).contains("# revision " + created + ", ", "No resources found");
            assertThat(mooring("get", "pv/pv1", "--at", created)).isZero();
            assertThat(printed().lines().findFirst().orElse("")).startsWith("NAME   CAPACITY   ACCESS MODES");
            assertThat(mooring("get", "pv", "pv1", "--at", created, "-o", "yaml"))
                    .isZero();
            Map<?, ?> yaml = new Yaml(new SafeConstructor(new LoaderOptions())).load(printed());
            assertThat(((Map<?, ?>) yaml.get("metadata")).get("creationTimestamp"))
                    .isEqualTo(volume.at("/metadata/creationTimestamp").asText());
            assertThat(printed()).doesNotContain("managedFields", "gold");
            assertThat(mooring("describe", "pv/pv1", "--at", created)).isZero();
            assertThat(printed())
                    .startsWith("Name:            pv1\nLabels:          <none>\n")
                    .contains("  Type:    NFS\n");
            assertThat(mooring("describe", "pv/pv1")).isZero();
            assertThat(printed()).contains("Labels:          tier=gold\n");
            assertThat(mooring("diff", "--from", created)).isZero();
            assertThat(printed()).contains("  ~ pv/pv1  ", "tier");
            assertThat(mooring("diff", "--from", created, "-o", "json-patch")).isZero();
            JsonNode patch = Json.MAPPER.readTree(printed());
            assertThat(patch.findValuesAsText("path")).contains("/metadata/labels");
            client.create(
                    "/api/v1/namespaces", (ObjectNode) Json.MAPPER.readTree("{\"metadata\":{\"name\":\"shop\"}}"));
            client.create("/api/v1/namespaces/shop/persistentvolumeclaims", (ObjectNode)
                    Json.MAPPER.readTree("{\"metadata\":{\"name\":\"data\"},\"spec\":{\"storageClassName\":\"slow\","
                            + "\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":"
                            + "{\"storage\":\"1Gi\"}}}}"));
            for (String command : List.of("get", "describe", "explain")) {
                assertThat(mooring(command, "pvc/data")).as(command).isEqualTo(3);
                assertThat(errors()).as(command).contains("; pvc/data exists in namespace shop: add -n shop");
            }
            assertThat(mooring("get", "pv,pvc,pod", "-n", "shop", "-o", "name")).isZero();
            assertThat(printed()).isEqualTo("persistentvolume/pv1\npersistentvolumeclaim/data\n");
            assertThat(mooring("get", "pv,pvc,pod", "-A", "--at", created)).isZero();
            assertThat(printed().lines().toList()).hasSize(2).last().asString().startsWith("persistentvolume/pv1 ");
            assertThat(mooring("get", "pv,pvc", "-n", "shop")).isZero();
            assertThat(printed()).containsPattern("persistentvolume/pv1 .*\n\nNAME .*\npersistentvolumeclaim/data ");
            assertThat(mooring("get", "pv,pvcs")).isEqualTo(3);
            assertThat(errors()).contains("Unknown type \"pvcs\"; did you mean pvc?");
            assertThat(mooring("get", "pv/pv2", "--at", created)).isEqualTo(3);
            assertThat(errors()).contains("did you mean pv1?");
        } finally {
            server.close();
        }
    }
}
