package dev.mooring.control.cases;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.MultiControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.KindResources;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.replay.explain.Explainer;
import dev.mooring.replay.explain.Explanation;
import dev.mooring.replay.explain.PastEvents;
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

/** Runs the case tables with all storage controllers on their own World, with a fake node and a manual clock. */
final class CaseTableTest {
    private static final String BASE = """
        {kind: Namespace, metadata: {name: default}}
        ---
        {kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}, annotations: {mooring.dev/volume-base.hostpath: /srv/mooring}}}
        """;

    /** Longer than the delay of any repeated message. */
    private static final Duration SETTLE_TIME = Duration.ofSeconds(3);

    /** Longer than the first back-off of a node. */
    private static final Duration RETRY = Duration.ofSeconds(5);

    static List<CaseRow> rows() {
        return CaseFile.rows();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void case_afterSettling_matchesTheTable(CaseRow row) {
        CaseRun run = new CaseRun(row);
        run.run();
        assertThat(CaseCheck.differences(row, run.objects, run.before, run::find, run.events()))
                .isEmpty();
        run.checkSettled();
    }

    /** The reason in a claim's condition comes from the controllers, that of the explanation from explain. */
    @ParameterizedTest
    @MethodSource("rows")
    void explain_claimWithoutVolume_hasTheReasonOfTheController(CaseRow row) {
        CaseRun run = new CaseRun(row);
        run.run();
        World world = run.controllers.world();
        for (StoredObject stored : world.list(Scope.resource(StorageNames.CLAIMS))) {
            Claim claim = Claim.of(stored);
            Explanation explanation = new Explainer(PastEvents.NONE)
                    .explain(world, claim.key(), run.controllers.now(), unused -> true)
                    .orElseThrow();
            if (claim.isBeingDeleted() || claim.phase().equals("Bound")) {
                continue;
            }
            assertThat(explanation.state()).isEqualTo(claim.phase());
            assertThat(explanation.root().because().get(0).reason())
                    .as(explanation.json().toPrettyString())
                    .isEqualTo(Conditions.find(claim.tree(), "Bound")
                            .orElseThrow()
                            .path("reason")
                            .asText());
        }
    }

    @Test
    void caseTables_ids_areUnique() {
        List<String> ids = new ArrayList<>(CaseFile.omitted());
        rows().forEach(row -> ids.add(row.id()));
        assertThat(ids).doesNotHaveDuplicates().hasSizeGreaterThan(150);
    }

    /** One run of a case. */
    private static final class CaseRun implements ScriptedFakeNode.Script {
        private final CaseRow row;
        private final CaseObjects objects = new CaseObjects(name -> "uid-" + name);
        private final Map<CaseLine, ObjectNode> before = new LinkedHashMap<>();
        private final Set<String> failedOnce = new HashSet<>();
        private final MultiControllerFixture controllers;
        private boolean blocked;

        CaseRun(CaseRow row) {
            this.row = row;
            this.blocked = row.work().contains("held");
            World world = WorldFixture.of(BASE);
            for (CaseLine line : row.before()) {
                if (!line.verb().equals("node")) {
                    world = WorldFixture.put(world, existing(line));
                    before.put(line, WorldFixture.tree(world, key(line).text()));
                }
            }
            controllers = new MultiControllerFixture(world, StorageControllers.withNode(this));
        }

        private ObjectNode existing(CaseLine line) {
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
            controllers.settle().advance(SETTLE_TIME);
            for (CaseLine line : row.later()) {
                apply(line);
                controllers.settle().advance(SETTLE_TIME);
            }
            controllers.advance(RETRY).advance(RETRY);
        }

        private void apply(CaseLine line) {
            if (line.kind().isPresent()) {
                controllers.put(existing(line));
                before.put(line, find(line.kind().get(), line.name()).orElseThrow());
                return;
            }
            if (line.verb().equals("work")) {
                blocked = false;
                controllers.restart(controllers.size() - 1);
                return;
            }
            ObjectKey key =
                    key(CaseLine.kind(line.name()).orElseThrow(), line.words().get(1));
            ObjectNode object = controllers.world().get(key).orElseThrow().toTree();
            switch (line.verb()) {
                case "remove" -> controllers.remove(key);
                case "edit" -> {
                    objects.change(object, line.words().subList(2, line.words().size()));
                    controllers.put(object);
                }
                case "delete" -> {
                    if (Deletion.of(object, 0, controllers.now()) instanceof Deletion.Marked marked) {
                        controllers.put(marked.object());
                    } else {
                        controllers.remove(key);
                    }
                }
                default -> throw new IllegalArgumentException("Unknown action: " + line);
            }
        }

        /** Checks that restarted controllers change nothing and that no operations remain. */
        void checkSettled() {
            controllers.takeEvents();
            for (int i = 0; i < controllers.size(); i++) {
                controllers.restart(i);
            }
            controllers.settle();
            assertThat(controllers.takeEvents())
                    .as("events of restarted controllers")
                    .isEmpty();
            boolean fails = row.work().stream().anyMatch(each -> each.contains(" fails \""));
            assertThat(controllers.world().count(Scope.resource(StorageNames.OPERATIONS)))
                    .as("remaining operations")
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
            return controllers.world().get(key(kind, name)).map(StoredObject::toTree);
        }

        Set<String> events() {
            Set<String> recorded = new HashSet<>();
            controllers.world().list(Scope.resource("events")).forEach(each -> {
                ObjectNode event = each.toTree();
                if (event.path("involvedObject").path("kind").asText().startsWith("PersistentVolume")) {
                    recorded.add(event.path("type").asText().charAt(0) + " "
                            + event.path("reason").asText() + " "
                            + event.path("involvedObject").path("name").asText());
                }
            });
            return recorded;
        }

        @Override
        public boolean mayBegin() {
            return !blocked;
        }

        @Override
        public Optional<String> failure(VolumeOperation operation) {
            String work = operation.operationType().orElseThrow().toString();
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
