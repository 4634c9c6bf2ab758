package dev.mooring.control.cases;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ManyControllers;
import dev.mooring.control.StoredJson;
import dev.mooring.control.Worlds;
import dev.mooring.model.KindResources;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Deletion;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The tables of cases with all storage controllers in a World of their own, a node that only pretends, and time that passes when it is let. */
final class CaseTableTest {
    private static final String BASE = """
        {kind: Namespace, metadata: {name: default}}
        ---
        {kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}}
        """;

    /** Longer than anybody takes to say something anew. */
    private static final Duration A_WHILE = Duration.ofSeconds(3);

    /** Longer than the first back-off of a node. */
    private static final Duration RETRY = Duration.ofSeconds(5);

    static List<CaseRow> rows() {
        return CaseFile.rows();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void endsAsTheTableSays(CaseRow row) {
        Play play = new Play(row);
        play.run();
        assertThat(CaseCheck.differences(row, play.objects, play.before, play::find, play.told()))
                .isEmpty();
        play.checkRest();
    }

    @Test
    void idsAreThereOnce() {
        List<String> ids = new ArrayList<>(CaseFile.leftOut());
        rows().forEach(row -> ids.add(row.id()));
        assertThat(ids).doesNotHaveDuplicates().hasSizeGreaterThan(150);
    }

    /** One case that is being played. */
    private static final class Play implements FakeNode.Script {
        private final CaseRow row;
        private final CaseObjects objects = new CaseObjects(name -> "uid-" + name);
        private final Map<CaseLine, ObjectNode> before = new LinkedHashMap<>();
        private final Set<String> failedOnce = new HashSet<>();
        private final ManyControllers many;
        private boolean held;

        Play(CaseRow row) {
            this.row = row;
            this.held = row.work().contains("held");
            World world = Worlds.of(BASE);
            for (CaseLine line : row.before()) {
                if (!line.verb().equals("node")) {
                    world = Worlds.put(world, laidDown(line));
                    before.put(line, Worlds.tree(world, key(line).text()));
                }
            }
            many = new ManyControllers(world, StorageControllers.withNode(this));
        }

        private ObjectNode laidDown(CaseLine line) {
            ObjectNode object = objects.of(line);
            ObjectNode metadata = object.withObject("/metadata");
            metadata.put("uid", "uid-" + line.name()).put("creationTimestamp", "2025-12-31T00:00:00Z");
            if (line.words().contains("deleting")) {
                metadata.put("deletionTimestamp", "2025-12-31T00:00:00Z").put("deletionGracePeriodSeconds", 0);
            }
            if (metadata.path("annotations").has(StorageNames.BIND_COMPLETED)
                    && object.path("status").path("phase").asText().equals("Bound")) {
                String volume = object.path("spec").path("volumeName").asText();
                object.withObject("/status").put("volumeName", volume).put("volumeUID", "uid-" + volume);
            }
            return object;
        }

        void run() {
            many.settle().pass(A_WHILE);
            for (CaseLine line : row.later()) {
                act(line);
                many.settle().pass(A_WHILE);
            }
            many.pass(RETRY).pass(RETRY);
        }

        private void act(CaseLine line) {
            if (line.kind().isPresent()) {
                many.put(laidDown(line));
                before.put(line, find(line.kind().get(), line.name()).orElseThrow());
                return;
            }
            if (line.verb().equals("work")) {
                held = false;
                many.restart(many.size() - 1);
                return;
            }
            ObjectKey key =
                    key(CaseLine.kind(line.name()).orElseThrow(), line.words().get(1));
            ObjectNode object = StoredJson.tree(many.world().get(key).orElseThrow());
            switch (line.verb()) {
                case "remove" -> many.remove(key);
                case "edit" -> {
                    objects.change(object, line.words().subList(2, line.words().size()));
                    many.put(object);
                }
                case "delete" -> {
                    if (Deletion.of(object, 0, many.now()) instanceof Deletion.Marked marked) {
                        many.put(marked.object());
                    } else {
                        many.remove(key);
                    }
                }
                default -> throw new IllegalArgumentException("Expected something to do, but it is " + line);
            }
        }

        /** Nothing is left to do: new controllers find all as it should be, and no work is left over. */
        void checkRest() {
            many.did();
            for (int i = 0; i < many.size(); i++) {
                many.restart(i);
            }
            many.settle();
            assertThat(many.did()).as("done by controllers that begin anew").isEmpty();
            boolean fails = row.work().stream().anyMatch(each -> each.contains(" fails \""));
            assertThat(many.world().count(Scope.resource(StorageNames.OPERATIONS)))
                    .as("work left over")
                    .isEqualTo(fails ? 1 : 0);
        }

        private static ObjectKey key(CaseLine line) {
            return key(line.kind().orElseThrow(), line.name());
        }

        private static ObjectKey key(String kind, String name) {
            String version = switch (kind) {
                case "StorageClass" -> "storage.k8s.io/v1";
                case "ActualVolume" -> "mooring.dev/v1";
                default -> "v1";
            };
            boolean inNamespace = kind.equals("PersistentVolumeClaim") || kind.equals("Pod");
            return KindResources.ofKind(version, kind).orElseThrow().key(inNamespace ? "default" : "", name);
        }

        private Optional<ObjectNode> find(String kind, String name) {
            return many.world().get(key(kind, name)).map(StoredJson::tree);
        }

        Set<String> told() {
            Set<String> told = new HashSet<>();
            many.world().list(Scope.resource("events")).forEach(each -> {
                ObjectNode event = StoredJson.tree(each);
                if (event.path("involvedObject").path("kind").asText().startsWith("PersistentVolume")) {
                    told.add(event.path("type").asText().charAt(0) + " "
                            + event.path("reason").asText() + " "
                            + event.path("involvedObject").path("name").asText());
                }
            });
            return told;
        }

        @Override
        public boolean mayBegin() {
            return !held;
        }

        @Override
        public Optional<String> failure(VolumeOperation operation) {
            String work = operation.work().orElseThrow().toString();
            for (String line : row.work()) {
                if (line.startsWith(work + " fails \"")
                        || (line.startsWith(work + " fails once") && failedOnce.add(operation.name()))) {
                    return Optional.of(CaseLine.quoted(line));
                }
            }
            return Optional.empty();
        }
    }
}
