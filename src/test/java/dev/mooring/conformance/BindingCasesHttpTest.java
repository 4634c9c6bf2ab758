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
 * The tables of cases over HTTP: laid down in a server whose controllers and node stand still, which is then started with both. What comes
 * of it stays.
 */
final class BindingCasesHttpTest {
    private static final Duration QUIET = Duration.ofMillis(25);

    /** For what is not yet as it should be; longer than anybody takes to say something anew. */
    private static final Duration LONG_QUIET = Duration.ofMillis(1_500);

    private static final int STATUS_TRIES = 5;

    @TempDir
    Path data;

    static List<CaseRow> rows() {
        return CaseFile.rows().stream()
                .filter(row -> row.functionOnly().isEmpty())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void endsAsTheTableSays(CaseRow row) {
        try (BindingServer server = BindingServer.hold(data.resolve(row.id()), Map.of("node", "n1"))) {
            Play play = new Play(row, server);
            play.run();
            assertThat(play.differencesWhenQuiet()).isEmpty();
            server.go();
            server.settle(QUIET);
            assertThat(play.differences()).as("after another start").isEmpty();
        }
    }

    /** One case that is being played. */
    private static final class Play {
        private final CaseRow row;
        private final BindingServer server;
        private final Map<String, String> uids = new HashMap<>();
        private final CaseObjects objects = new CaseObjects(name -> uids.getOrDefault(name, "uid-of-nobody-" + name));
        private final Map<CaseLine, ObjectNode> before = new LinkedHashMap<>();

        Play(CaseRow row, BindingServer server) {
            this.row = row;
            this.server = server;
        }

        void run() {
            Map<CaseLine, ObjectNode> laidDown = new LinkedHashMap<>();
            for (CaseLine line : row.before()) {
                if (!line.verb().equals("node")) {
                    laidDown.put(line, create(line));
                }
            }
            laidDown.forEach(this::finish);
            server.go();
            for (CaseLine line : row.later()) {
                server.settle(QUIET);
                act(line);
            }
            server.settle(QUIET);
        }

        private ObjectNode create(CaseLine line) {
            ObjectNode object = objects.of(line);
            BindingApi.Reply created = server.api().create(line.kind().orElseThrow(), object);
            assertThat(created.isOk()).as(created.body().toString()).isTrue();
            if (line.verb().equals("pvc")) {
                uids.put(
                        line.name(),
                        created.object().path("metadata").path("uid").asText());
            }
            return object;
        }

        /** Sets the status, which cannot be created, and begins the deletion. */
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

        /** Somebody may react to what was just created. */
        private void putStatus(String kind, String name, ObjectNode status) {
            BindingApi.Reply put;
            int tries = 0;
            do {
                ObjectNode found = server.api().get(kind, name).object();
                found.set("status", status);
                put = server.api().putStatus(kind, name, found);
                tries++;
            } while (put.code() == 409 && tries < STATUS_TRIES);
            assertThat(put.isOk()).as(put.body().toString()).isTrue();
        }

        private void act(CaseLine line) {
            if (line.kind().isPresent()) {
                finish(line, create(line));
                return;
            }
            String kind = line.name().equals("pvc")
                    ? "PersistentVolumeClaim"
                    : line.name().equals("pv") ? "PersistentVolume" : "Pod";
            String name = line.words().get(1);
            if (line.verb().equals("edit")) {
                ObjectNode object = server.api().get(kind, name).object();
                objects.change(object, line.words().subList(2, line.words().size()));
                server.api().putStatus(kind, name, object);
                return;
            }
            server.api().delete(kind, name);
            if (line.verb().equals("remove")) {
                server.api().patch(kind, name, "{\"metadata\":{\"finalizers\":null}}");
            }
        }

        List<String> differencesWhenQuiet() {
            List<String> differences = differences();
            if (differences.isEmpty()) {
                return differences;
            }
            server.settle(LONG_QUIET);
            return differences();
        }

        List<String> differences() {
            return CaseCheck.differences(row, objects, before, this::find, told());
        }

        private Optional<ObjectNode> find(String kind, String name) {
            BindingApi.Reply reply = server.api().get(kind, name);
            return reply.code() == 404 ? Optional.empty() : Optional.of(reply.object());
        }

        private Set<String> told() {
            Set<String> told = new HashSet<>();
            for (JsonNode event : server.api().allEvents()) {
                JsonNode object = event.path("involvedObject");
                if (object.path("kind").asText().startsWith("PersistentVolume")) {
                    told.add(event.path("type").asText().charAt(0) + " "
                            + event.path("reason").asText() + " "
                            + object.path("name").asText());
                }
            }
            return told;
        }
    }
}
