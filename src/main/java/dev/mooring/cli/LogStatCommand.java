package dev.mooring.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.log.Batch;
import dev.mooring.log.LogInspector;
import dev.mooring.log.LogPosition;
import dev.mooring.model.Json;
import dev.mooring.server.ExitCode;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mooring log stat}: prints size and time range of the log without reading all of it. */
@Command(name = "stat", description = "Show revisions, times, sizes and snapshots.")
final class LogStatCommand implements Callable<Integer> {
    private final ProcessEnvironment environment;

    @Mixin
    private LogCommand.LogSource source;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "text",
            description = "text or json (${DEFAULT-VALUE}).")
    private OutputFormat output;

    LogStatCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        LogInspector inspector = source.inspector();
        ObjectNode stat = stat(inspector);
        if (output == OutputFormat.JSON) {
            environment.out().println(stat.toPrettyString());
        } else {
            print(stat);
        }
        return ExitCode.OK.number();
    }

    private ObjectNode stat(LogInspector inspector) throws IOException {
        List<LogInspector.SegmentInfo> segments = inspector.segments();
        LogInspector.SegmentInfo last = segments.get(segments.size() - 1);
        Optional<Batch> first = firstBatch(inspector, segments.get(0).firstRevision());
        LogInspector.End end = inspector.walk(last.firstRevision(), (batch, position) -> true);
        long lastRevision = end.position().map(LogPosition::revision).orElse(0L);
        ObjectNode stat = Json.MAPPER.createObjectNode();
        stat.put("directory", source.directory().toString());
        stat.put("firstRevision", segments.get(0).firstRevision());
        stat.put("lastRevision", lastRevision);
        stat.put("events", lastRevision - segments.get(0).firstRevision() + 1);
        first.ifPresent(
                batch -> stat.put("firstTime", batch.events().get(0).time().toString()));
        end.position()
                .filter(position -> position.timeMillis() > 0)
                .ifPresent(position -> stat.put(
                        "lastTime", Instant.ofEpochMilli(position.timeMillis()).toString()));
        stat.put(
                "bytes",
                segments.stream().mapToLong(LogInspector.SegmentInfo::bytes).sum());
        stat.put("incompleteTail", end.tornTail());
        ArrayNode segmentList = stat.putArray("segments");
        for (LogInspector.SegmentInfo segment : segments) {
            segmentList
                    .addObject()
                    .put("file", segment.name())
                    .put("firstRevision", segment.firstRevision())
                    .put("bytes", segment.bytes())
                    .put("keyId", segment.keyId());
        }
        ArrayNode snapshotList = stat.putArray("snapshots");
        for (long revision : inspector.snapshots().revisions()) {
            snapshotList
                    .addObject()
                    .put("revision", revision)
                    .put("bytes", inspector.snapshots().size(revision));
        }
        return stat;
    }

    private static Optional<Batch> firstBatch(LogInspector inspector, long firstRevision) throws IOException {
        Batch[] found = new Batch[1];
        inspector.walk(firstRevision, (batch, end) -> {
            found[0] = batch;
            return false;
        });
        return Optional.ofNullable(found[0]);
    }

    private void print(ObjectNode stat) {
        row("directory", stat.get("directory").asText());
        row(
                "revisions",
                stat.get("firstRevision") + " to " + stat.get("lastRevision") + " (" + stat.get("events") + " events)");
        row(
                "times",
                stat.path("firstTime").asText("-") + " to "
                        + stat.path("lastTime").asText("-"));
        row(
                "size",
                mebibytes(stat.get("bytes").asLong()) + " in "
                        + stat.get("segments").size() + " segments, including preallocated space");
        row("tail", stat.get("incompleteTail").asBoolean() ? "incomplete batch, never acknowledged" : "clean");
        row("secrets", encryption(stat));
        row("snapshots", stat.get("snapshots").isEmpty() ? "none" : "");
        stat.get("snapshots")
                .forEach(snapshot -> environment
                        .out()
                        .println("  revision " + snapshot.get("revision") + ", "
                                + mebibytes(snapshot.get("bytes").asLong())));
    }

    /** Returns the encryption key of a segment, which has at most one. */
    private static String encryption(ObjectNode stat) {
        Map<Integer, Integer> segments = new TreeMap<>();
        stat.get("segments")
                .forEach(segment -> segments.merge(segment.get("keyId").asInt(), 1, Integer::sum));
        return segments.entrySet().stream()
                .map(entry -> (entry.getKey() == 0 ? "in clear" : "encrypted with key " + entry.getKey()) + " in "
                        + entry.getValue() + " segments")
                .collect(Collectors.joining(", "));
    }

    private void row(String name, String value) {
        environment.out().println(String.format("%-10s %s", name, value).stripTrailing());
    }

    private static String mebibytes(long bytes) {
        return String.format(java.util.Locale.ROOT, "%.1f MiB", bytes / 1_048_576.0);
    }
}
