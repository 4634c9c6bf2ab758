package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.cases.CaseCheck;
import dev.mooring.control.cases.CaseFile;
import dev.mooring.control.cases.CaseLine;
import dev.mooring.control.cases.CaseObjects;
import dev.mooring.control.cases.CaseRow;
import dev.mooring.model.view.StorageNames;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the tables of binding cases over HTTP: creates the objects of a case in a server without controllers and node,
 * restarts the server with both, and compares the result. The result must be the same after another restart.
 */
final class BindingCasesHttpTest {
    private static final Duration QUIET_PERIOD = Duration.ofMillis(25);

    /** Used while the result still differs; longer than any component waits before it reports again. */
    private static final Duration LONG_QUIET_PERIOD = Duration.ofMillis(1_500);

    private static final int STATUS_TRIES = 50;

    /** How often to wait for the long quiet period. */
    private static final int TRIES = 30;

    @TempDir
    Path data;

    static List<CaseRow> rows() {
        return CaseFile.rows().stream()
                .filter(row -> row.functionOnly().isEmpty())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void caseRow_runOverHttp_endsAsTableExpects(CaseRow row) throws Exception {
        try (BindingServerFixture server =
                BindingServerFixture.startPaused(data.resolve(row.id()), Map.of("node", "n1"))) {
            if (needsNode(row)) {
                server.registerNode();
            }
            HttpCaseRun caseRun = new HttpCaseRun(row, server);
            caseRun.run();
            assertThat(caseRun.differencesWhenQuiet()).isEmpty();
            server.resume();
            server.settle(QUIET_PERIOD);
            assertThat(caseRun.differences()).as("after another restart").isEmpty();
        }
    }

    private static boolean needsNode(CaseRow row) {
        return row.before().stream()
                .anyMatch(line -> line.verb().equals("node") || line.words().contains("mock"));
    }

    /** Run of one case. */
    private static final class HttpCaseRun {
        private final CaseRow row;
        private final BindingServerFixture server;
        private final Map<String, String> uids = new HashMap<>();
        private final CaseObjects objects = new CaseObjects(name -> uids.getOrDefault(name, "uid-of-unknown-" + name));
        private final Map<CaseLine, ObjectNode> before = new LinkedHashMap<>();

        HttpCaseRun(CaseRow row, BindingServerFixture server) {
            this.row = row;
            this.server = server;
        }

        void run() {
            Map<CaseLine, ObjectNode> created = new LinkedHashMap<>();
            for (CaseLine line : row.before()) {
                if (!line.verb().equals("node")) {
                    created.put(line, create(line));
                }
            }
            created.forEach(this::finish);
            server.resume();
            for (CaseLine line : row.later()) {
                server.settle(QUIET_PERIOD);
                performStep(line);
            }
            server.settle(QUIET_PERIOD);
        }

        private ObjectNode create(CaseLine line) {
            ObjectNode object = objects.of(line);
            BindingApiClient.Reply created = server.api().create(line.kind().orElseThrow(), object);
            assertThat(created.isOk()).as(created.body().toString()).isTrue();
            if (line.verb().equals("pvc")) {
                uids.put(
                        line.name(),
                        created.object().path("metadata").path("uid").asText());
            }
            return object;
        }

        /** Sets the status, which a create request cannot, and starts the deletion if the case has one. */
        private void finish(CaseLine line, ObjectNode object) {
            String kind = line.kind().orElseThrow();
            if (object.path("status") instanceof ObjectNode status) {
                String volume = object.path("spec").path("volumeName").asText();
                if (object.path("metadata").path("annotations").has(StorageNames.BIND_COMPLETED)
                        && status.path("phase").asText().equals("Bound")) {
                    JsonNode bound =
                            server.api().get("PersistentVolume", volume).body();
                    status.put("volumeName", volume);
                    status.put("volumeUID", bound.path("metadata").path("uid").asText());
                }
                putStatus(kind, line.name(), status);
            }
            if (line.words().contains("deleting")) {
                server.api().delete(kind, line.name());
            }
            before.put(line, server.api().get(kind, line.name()).object());
        }

        /** Writes the status; retries on conflict, because a controller may have changed the new object. */
        private void putStatus(String kind, String name, ObjectNode status) {
            BindingApiClient.Reply put;
            int tries = 0;
            do {
                ObjectNode found = server.api().get(kind, name).object();
                found.set("status", status);
                put = server.api().putStatus(kind, name, found);
                tries++;
            } while (put.code() == 409 && tries < STATUS_TRIES);
            assertThat(put.isOk()).as(put.body().toString()).isTrue();
        }

        private void performStep(CaseLine line) {
            if (line.kind().isPresent()) {
                finish(line, create(line));
                return;
            }
            String kind = line.name().equals("pvc")
                    ? "PersistentVolumeClaim"
                    : line.name().equals("pv") ? "PersistentVolume" : "Pod";
            String name = line.words().get(1);
            if (line.verb().equals("edit")) {
                int code = 409;
                for (int tries = 0; code == 409 && tries < STATUS_TRIES; tries++) {
                    ObjectNode object = server.api().get(kind, name).object();
                    objects.change(object, line.words().subList(2, line.words().size()));
                    code = server.api().putStatus(kind, name, object).code();
                }
                return;
            }
            server.api().delete(kind, name);
            if (line.verb().equals("remove")) {
                server.api().patch(kind, name, "{\"metadata\":{\"finalizers\":null}}");
            }
        }

        List<String> differencesWhenQuiet() {
            List<String> differences = differences();
            for (int i = 0; i < TRIES && !differences.isEmpty(); i++) {
                server.settle(LONG_QUIET_PERIOD);
                differences = differences();
            }
            return differences;
        }

        List<String> differences() {
            return CaseCheck.differences(row, objects, before, this::find, reportedEvents());
        }

        private Optional<ObjectNode> find(String kind, String name) {
            BindingApiClient.Reply reply = server.api().get(kind, name);
            return reply.code() == 404 ? Optional.empty() : Optional.of(reply.object());
        }

        private Set<String> reportedEvents() {
            Set<String> events = new HashSet<>();
            for (JsonNode event : server.api().allEvents()) {
                JsonNode object = event.path("involvedObject");
                if (object.path("kind").asText().startsWith("PersistentVolume")) {
                    events.add(event.path("type").asText().charAt(0) + " "
                            + event.path("reason").asText() + " "
                            + object.path("name").asText());
                }
            }
            return events;
        }
    }
}
