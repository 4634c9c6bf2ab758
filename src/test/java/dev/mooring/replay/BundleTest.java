package dev.mooring.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Event;
import dev.mooring.model.KindResources;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.replay.explain.PastEvents;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BundleTest {
    /** Occurs in every place that must not be in a bundle. */
    private static final String MARKER = "Hunter2-Marker";

    private static final String MARKER_BASE64 =
            Base64.getEncoder().encodeToString(MARKER.getBytes(StandardCharsets.UTF_8));

    private static final Instant CREATED = Instant.parse("2026-01-02T03:04:05.678Z");

    private static final String SECRET = """
        kind: Secret
        metadata:
          name: %s
          namespace: default
          annotations:
            kubectl.kubernetes.io/last-applied-configuration: '{"stringData":{"password":"MARKER"}}'
            note: MARKER
          managedFields: [{manager: "MARKER"}]
        type: Opaque
        data: {password: MARKER64}
        stringData: {password: MARKER}
        """;

    private static final String OTHERS = """
        kind: ConfigMap
        metadata:
          name: settings
          namespace: default
          annotations: {"kubectl.kubernetes.io/last-applied-configuration": "MARKER"}
        data: {config: "url=MARKER"}
        binaryData: {blob: MARKER64}
        ---
        apiVersion: mooring.dev/v1
        kind: Token
        metadata: {name: ci, annotations: {a: MARKER}}
        spec: {user: ci, role: view, sha256: MARKER, note: MARKER}
        ---
        kind: Pod
        metadata:
          name: web
          namespace: default
          annotations: {"kubectl.kubernetes.io/last-applied-configuration": "MARKER", kept: "yes"}
          managedFields: [{manager: "MARKER"}]
        spec:
          nodeName: n1
          containers:
          - name: c
            image: busybox
            env: [{name: A, value: MARKER}, {name: B, valueFrom: {secretKeyRef: {name: db, key: password}}}]
            livenessProbe: {httpGet: {port: 80, httpHeaders: [{name: Authorization, value: MARKER}]}}
            lifecycle: {preStop: {httpGet: {port: 80, httpHeaders: [{name: X, value: MARKER}]}}}
          initContainers: [{name: i, image: busybox, env: [{name: A, value: MARKER}]}]
          ephemeralContainers: [{name: e, image: busybox, env: [{name: A, value: MARKER}]}]
        ---
        kind: PersistentVolumeClaim
        metadata: {name: data, namespace: default, annotations: {a: kept}}
        status: {phase: Pending}
        """;

    @TempDir
    private Path directory;

    private World world = World.EMPTY;
    private final List<Event> events = new ArrayList<>();

    private void put(String yaml) {
        for (ObjectNode object :
                WorldFixture.objects(yaml.replace("MARKER64", MARKER_BASE64).replace("MARKER", MARKER))) {
            commit(Proposal.by("tester", "Put").put(WorldFixture.draft(object)).build());
        }
    }

    private void commit(Proposal proposal) {
        Event event = WorldFixture.event(world, proposal);
        events.add(event);
        world = world.after(event);
    }

    private void remove(String key) {
        commit(Proposal.by("tester", "Removed")
                .remove(world.get(ObjectKey.parse(key)).orElseThrow())
                .build());
    }

    /** Writes a bundle of the events after a World. */
    private Path write(World from, BundleWriter.ServerFacts facts) throws IOException {
        BundleWriter writer = new BundleWriter(new BundleWriter.Content(
                "v1",
                "n1",
                CREATED,
                from,
                Instant.ofEpochSecond(from.revision()),
                world,
                Instant.ofEpochSecond(world.revision()),
                events.stream()
                        .filter(each -> each.revision() > from.revision())
                        .iterator(),
                PastEvents.NONE,
                facts));
        Path file = directory.resolve("bundle.zip");
        try (OutputStream out = Files.newOutputStream(file)) {
            while (writer.hasNext()) {
                out.write(writer.next());
            }
        }
        return file;
    }

    static Map<String, String> unzip(Path file) throws IOException {
        Map<String, String> content = new TreeMap<>();
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(file))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                zip.transferTo(bytes);
                content.put(entry.getName(), bytes.toString(StandardCharsets.UTF_8));
            }
        }
        return content;
    }

    @Test
    void bundle_secretsInEveryPlace_hasNoneOfThem() throws IOException {
        put(SECRET.formatted("db"));
        put(SECRET.formatted("old"));
        put(OTHERS);
        World from = world;
        remove("secrets/default/old");
        put(SECRET.formatted("db"));
        put(SECRET.formatted("new"));
        remove("secrets/default/new");
        put(OTHERS);

        Map<String, String> content = unzip(write(
                from,
                new BundleWriter.ServerFacts(
                        () -> Redaction.redact("docker.host: tcp://user:" + MARKER + "@10.0.0.1:2376\n"),
                        () -> "up 1\n",
                        () -> Redaction.redact("1 0 0:1 / /m rw - cifs //nas/x rw,password=" + MARKER + ",vers=3\n"),
                        () -> {
                            throw new IOException("token=" + MARKER + " was refused");
                        })));

        assertThat(content)
                .containsOnlyKeys(
                        "README.txt",
                        "bundle.json",
                        "config.yaml",
                        "engine.json",
                        "events.jsonl",
                        "explain.json",
                        "metrics.txt",
                        "mounts.txt",
                        "snapshot.jsonl");
        content.forEach(
                (name, text) -> assertThat(text).as(name).doesNotContain(MARKER).doesNotContain(MARKER_BASE64));
        assertThat(content.get("snapshot.jsonl"))
                .contains("\"password\":\"PHJlZGFjdGVkPg==\"")
                .contains("\"kept\":\"yes\"")
                .contains("\"role\":\"view\"")
                .contains("\"config\":\"<redacted>\"")
                .contains("\"key\":\"password\"");
        assertThat(content.get("mounts.txt")).contains("password=<redacted>,vers=3");
        assertThat(content.get("config.yaml")).contains("tcp://<redacted>@10.0.0.1:2376");
        assertThat(content.get("metrics.txt")).isEqualTo("up 1\n");
        assertThat(content.get("bundle.json"))
                .isEqualTo("{\"format\":1,\"version\":\"v1\",\"node\":\"n1\",\"created\":\"2026-01-02T03:04:05.678Z\","
                        + "\"from\":{\"revision\":6,\"time\":\"1970-01-01T00:00:06Z\"},"
                        + "\"to\":{\"revision\":14,\"time\":\"1970-01-01T00:00:14Z\"}}\n");
    }

    @Test
    void redaction_unknownResource_keepsMetadataWithoutAnnotations() {
        StoredObject object = new StoredObject(
                ObjectKey.parse("widgets.example.com/default/w"),
                3,
                ("{\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\",\"annotations\":{\"a\":\"" + MARKER
                                + "\"}},\"spec\":{\"x\":\"" + MARKER + "\"}}")
                        .getBytes(StandardCharsets.UTF_8));
        assertThat(new String(Redaction.redact(object).json(), StandardCharsets.UTF_8))
                .isEqualTo("{\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\"}}");
    }

    /** A new kind must be decided upon: it is either open, or has a rule of its own. */
    @Test
    void redaction_everyKind_isDecided() {
        for (KindResources.ResourceKind kind : KindResources.all()) {
            ObjectKey key = kind.key("default", "x");
            StoredObject object = new StoredObject(
                    key,
                    1,
                    ("{\"kind\":\"" + kind.kind() + "\",\"metadata\":{\"name\":\"x\"},\"data\":{\"k\":\"v\"},"
                                    + "\"spec\":{\"user\":\"u\"},\"type\":\"t\"}")
                            .getBytes(StandardCharsets.UTF_8));
            assertThat(Redaction.redact(object).tree().size()).as(kind.kind()).isGreaterThan(2);
        }
    }

    @Test
    void redaction_workload_removesValuesOfItsTemplate() {
        for (String resource :
                List.of("deployments.apps", "controllerrevisions.apps", "cronjobs.batch", "podtemplates")) {
            StoredObject object = new StoredObject(
                    ObjectKey.namespaced(resource, "default", "x"),
                    1,
                    ("{\"metadata\":{\"name\":\"x\"},\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\","
                                    + "\"env\":[{\"name\":\"PASSWORD\",\"value\":\"hunter2\"}]}]}}}}")
                            .getBytes(StandardCharsets.UTF_8));
            assertThat(Redaction.redact(object).tree().toString())
                    .as(resource)
                    .contains("PASSWORD", Redaction.REDACTED)
                    .doesNotContain("hunter2");
        }
    }

    @Test
    void bundle_openedElsewhere_hasTheSameRevisionsAndObjects() throws IOException {
        put(OTHERS);
        World from = world;
        put(SECRET.formatted("db"));
        remove("persistentvolumeclaims/default/data");

        Bundle bundle = Bundle.read(write(from, BundleWriter.ServerFacts.NONE));
        Recording recording = bundle.recording();

        assertThat(bundle.node()).isEqualTo("n1");
        assertThat(recording.first()).isEqualTo(from.revision());
        assertThat(recording.last()).isEqualTo(world.revision());
        for (long revision = recording.first(); revision <= recording.last(); revision++) {
            assertThat(recording.world(revision).revision()).isEqualTo(revision);
        }
        assertThat(keys(recording.world(world.revision()))).isEqualTo(keys(world));
        assertThat(recording
                        .world(from.revision())
                        .get(ObjectKey.parse("persistentvolumeclaims/default/data"))
                        .orElseThrow()
                        .revision())
                .isEqualTo(4);
        Event removal = recording.event(world.revision()).orElseThrow();
        assertThat(removal.changes().get(0).isRemoval()).isTrue();
        assertThat(removal.changes().get(0).prior()).isEqualTo(4);
    }

    private static List<String> keys(World world) {
        return world.stream(Scope.all())
                .map(each -> each.key() + "@" + each.revision())
                .toList();
    }

    @Test
    void fitting_tooManyEventsOrBytes_leavesOutTheOldest() {
        for (int i = 0; i < 10; i++) {
            put("kind: ConfigMap\nmetadata: {name: c, namespace: default}\ndata: {a: x}\n");
        }
        long size = events.get(5).changes().get(0).object().json().length;

        assertThat(BundleWriter.fitting(0, events.iterator(), 100, 1 << 20)).isZero();
        assertThat(BundleWriter.fitting(0, events.iterator(), 3, 1 << 20)).isEqualTo(7);
        assertThat(BundleWriter.fitting(0, events.iterator(), 100, 2 * size + 2))
                .isEqualTo(8);
        assertThat(BundleWriter.fitting(0, events.iterator(), 100, 1)).isEqualTo(9);
    }

    @Test
    void fileName_hasNodeAndTime() {
        assertThat(BundleWriter.fileName("n/1", CREATED)).isEqualTo("mooring-bundle-n_1-20260102T030405Z.zip");
    }

    @Test
    void read_otherFiles_areRefused() throws IOException {
        Path text = Files.writeString(directory.resolve("x.zip"), "not a zip");
        assertThatThrownBy(() -> Bundle.read(text)).hasMessageContaining("is not a bundle of Mooring");
        Path other = directory.resolve("other.zip");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(other))) {
            zip.putNextEntry(new ZipEntry("bundle.json"));
            zip.write("{\"format\":2}".getBytes(StandardCharsets.UTF_8));
        }
        assertThatThrownBy(() -> Bundle.read(other)).hasMessageContaining("bundle format 2");
        put(OTHERS);
        Path gap = write(World.EMPTY, BundleWriter.ServerFacts.NONE);
        events.remove(1);
        Path missing = write(World.EMPTY, BundleWriter.ServerFacts.NONE);
        assertThat(gap).isEqualTo(missing);
        assertThatThrownBy(() -> Bundle.read(missing)).hasMessageContaining("has revision 3 in place of 2");
    }
}
