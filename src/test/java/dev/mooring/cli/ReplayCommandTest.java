package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.log.FileEventLog;
import dev.mooring.log.RealDisk;
import dev.mooring.model.Cause;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.Samples;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import dev.mooring.world.WorldRestore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scripts of the stepper, with their output. */
class ReplayCommandTest {
    private static final String CLAIM =
            "{kind: PersistentVolumeClaim, metadata: {name: %s, namespace: shop}, spec: {volumeName: '%s'},"
                    + " status: {phase: %s}}";

    private static final String VOLUME = "{kind: PersistentVolume, metadata: {name: pv1}, status: {phase: %s}}";

    private static final String SECRET =
            "{kind: Secret, metadata: {name: db, namespace: shop}, data: {password: aHVudGVyMg==}}";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path data;

    @BeforeEach
    void writeLog() throws IOException {
        WorldRestore restore = new WorldRestore();
        try (FileEventLog log =
                FileEventLog.open(new RealDisk(), data.resolve("log"), 1 << 20, Clock.systemUTC(), restore)) {
            World[] world = {restore.world()};
            append(log, world, "ClaimCreated", "admin", CLAIM.formatted("data", "", "Pending"));
            append(log, world, "VolumeCreated", "admin", VOLUME.formatted("Available"));
            append(
                    log,
                    world,
                    "VolumeBound",
                    "persistentvolume-controller",
                    VOLUME.formatted("Bound") + "\n---\n" + CLAIM.formatted("data", "pv1", "Bound"));
            append(log, world, "SecretCreated", "admin", SECRET);
            append(log, world, "ClaimCreated", "admin", CLAIM.formatted("cache", "", "Pending"));
            append(log, world, "ClaimLost", "persistentvolume-controller", CLAIM.formatted("data", "pv1", "Lost"));
            Proposal removal = Proposal.by("admin", "ClaimDeleted")
                    .remove(world[0].get(ObjectKey.parse("persistentvolumeclaims/shop/data"))
                            .orElseThrow())
                    .build();
            append(log, world, removal);
        }
    }

    private static void append(FileEventLog log, World[] world, String type, String actor, String yaml)
            throws IOException {
        Proposal.Builder proposal =
                Proposal.by(actor, type).because(actor.equals("admin") ? Cause.request("r1") : Cause.revision(1));
        for (ObjectNode object : WorldFixture.objects(yaml)) {
            proposal.put(WorldFixture.draft(object));
        }
        append(log, world, proposal.build());
    }

    /** Appends an event, one minute after the one before. */
    private static void append(FileEventLog log, World[] world, Proposal proposal) throws IOException {
        Event decided = WorldFixture.event(world[0], proposal);
        Event event = new Event(
                decided.revision(),
                Instant.parse("2026-01-02T03:00:00Z").plusSeconds(60 * decided.revision()),
                decided.type(),
                decided.actor(),
                decided.cause(),
                decided.changes());
        world[0] = world[0].after(event);
        log.append(Samples.batch(world[0], event));
    }

    private int run(String script, String... options) {
        out.reset();
        err.reset();
        List<String> args = new ArrayList<>(List.of("replay", "--data", data.toString()));
        args.addAll(List.of(options));
        return new Cli(ServerFixture.ambient(script, out, err)).run(args.toArray(String[]::new));
    }

    private String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void nextAndPrev_printTheEventAndWhatItChanged() {
        assertThat(run("next 3\nprev\nprev 5\n")).as(errors()).isZero();
        assertThat(output()).isEqualTo("""
            1  2026-01-02T03:01:00.000Z  ClaimCreated  by admin, cause: request r1
                + pvc/shop/data  phase Pending, volumeName ""
            2  2026-01-02T03:02:00.000Z  VolumeCreated  by admin, cause: request r1
                + pv/pv1  phase Available
            3  2026-01-02T03:03:00.000Z  VolumeBound  by persistentvolume-controller, cause: revision 1
                ~ pv/pv1  phase Available → Bound
                ~ pvc/shop/data  phase Pending → Bound, volumeName "" → pv1
            2  2026-01-02T03:02:00.000Z  VolumeCreated  by admin, cause: request r1
                + pv/pv1  phase Available
            0  start of the recording, 0 objects
            """);
    }

    @Test
    void goto_revisionTimeOrAge_moves() {
        assertThat(run("goto 4\ngoto 2026-01-02T03:02:30Z\ngoto 1m\ngoto last\ngoto first\n"))
                .as(errors())
                .isZero();
        assertThat(output().lines().filter(line -> !line.startsWith(" ")).map(line -> line.replaceFirst(" .*", "")))
                .containsExactly("4", "2", "6", "7", "0");
    }

    @Test
    void run_stopsAtBreakpoints() {
        assertThat(run("""
            # comments and empty lines are skipped

            break type SecretCreated
            break pvc/data -n shop phase=Bound
            break pvc phase=Lost
            run
            c
            continue
            delete 1
            break actor admin
            run
            """)).as(errors()).isZero();
        assertThat(output().lines().filter(line -> !line.startsWith(" ")))
                .containsExactly(
                        "Breakpoint 1: type SecretCreated",
                        "Breakpoint 2: pvc/data phase=Bound -n shop",
                        "Breakpoint 3: pvc phase=Lost",
                        "Breakpoint 2: pvc/data phase=Bound -n shop",
                        "3  2026-01-02T03:03:00.000Z  VolumeBound  by persistentvolume-controller, cause: revision 1",
                        "Breakpoint 1: type SecretCreated",
                        "4  2026-01-02T03:04:00.000Z  SecretCreated  by admin, cause: request r1",
                        "Breakpoint 3: pvc phase=Lost",
                        "6  2026-01-02T03:06:00.000Z  ClaimLost  by persistentvolume-controller, cause: revision 1",
                        "Breakpoint 4: actor admin",
                        "Breakpoint 4: actor admin",
                        "7  2026-01-02T03:07:00.000Z  ClaimDeleted  by admin");
    }

    @Test
    void breakpointWithCondition_conditionHeldBefore_doesNotStop() {
        assertThat(run("goto 3\nbreak pvc/data -n shop volumeName=pv1\nrun\n")).isEqualTo(3);
        assertThat(errors()).contains("No breakpoint was reached; this is the last event, revision 7");
        assertThat(run("break pvc/data -n shop phase!=Pending\nrun\nwhere\n")).isZero();
        assertThat(output()).contains("Revision 3 of 0 to 7, 2 objects");
    }

    @Test
    void printAndList_showObjectsOfThePosition() {
        assertThat(run("print pvc/shop/data\nlist pvc\nlist pv\n", "--until", "3"))
                .as(errors())
                .isZero();
        assertThat(output()).endsWith("""
            kind: PersistentVolumeClaim
            metadata:
              name: data
              namespace: shop
              uid: uid-data
              resourceVersion: "3"
            spec:
              volumeName: pv1
            status:
              phase: Bound
            apiVersion: v1
            NAMESPACE   NAME   STATUS   VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   VOLUMEATTRIBUTESCLASS   AGE
            shop        data   Bound    pv1      0                                        <unset>                 <unknown>
            NAME   CAPACITY   ACCESS MODES   RECLAIM POLICY   STATUS   CLAIM   STORAGECLASS   VOLUMEATTRIBUTESCLASS   REASON   AGE
            pv1    0                                          Bound                           <unset>                          <unknown>
            """);
    }

    @Test
    void secrets_neverPrinted() {
        assertThat(run("print secrets/db -n shop\ndiff\ndiff 0\nwhere\n", "--until", "4"))
                .as(errors())
                .isZero();
        assertThat(output()).contains("password").doesNotContain("aHVudGVyMg");
        assertThat(run("search aHVudGVyMg\n")).isEqualTo(3);
    }

    @Test
    void diff_eventOrRange_showsFields() {
        assertThat(run("diff\ndiff 5\n", "--until", "3")).as(errors()).isZero();
        assertThat(output()).endsWith("""
            ~ pvc/shop/data
                spec.volumeName:  → pv1
                status.phase: Pending → Bound
            ~ pv/pv1
                status.phase: Available → Bound
            + pvc/shop/cache
                kind: +PersistentVolumeClaim
                metadata.name: +cache
                metadata.namespace: +shop
                metadata.uid: +uid-cache
                spec.volumeName: +
                status.phase: +Pending
                apiVersion: +v1
            + secrets/shop/db
                apiVersion: +v1
                kind: +Secret
                metadata.name: +db
                metadata.namespace: +shop
                metadata.uid: +uid-db
                data.password: +PHJlZGFjdGVkPg==
            """);
    }

    @Test
    void why_explainsTheStateOfThePosition() {
        assertThat(run("why pvc/data -n shop\ngoto last\nwhy pvc/data -n shop\n", "--until", "1"))
                .as(errors())
                .isZero();
        assertThat(output())
                .contains("PersistentVolumeClaim shop/data is Pending")
                .contains("PersistentVolumeClaim shop/data was deleted by admin at revision 7");
    }

    @Test
    void search_textAndConditions_listEvents() {
        assertThat(run("""
            search pv1 actor=admin
            search type=ClaimCreated
            search object=pvc/shop/cache
            search shop limit=1
            """)).as(errors()).isZero();
        assertThat(output().lines().map(line -> line.replaceAll("  .*", "")))
                .containsExactly(
                        "REVISION",
                        "2",
                        "7",
                        "REVISION",
                        "1",
                        "5",
                        "REVISION",
                        "5",
                        "REVISION",
                        "1",
                        "… and more; add a condition, or limit=10");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nxt | 2 | Unknown command \"nxt\"; did you mean next?",
                "goto 99 | 3 | Revision must be from 0 to 7, got 99",
                "goto soon | 2 | Moment must be a revision such as 812",
                "next 0 | 2 | Number of events must be at least 1, got \"0\"",
                "prev | 3 | This is the start of the recording",
                "run | 2 | There is no breakpoint",
                "break | 0 |",
                "break pvc/data phase | 2 | Conditions must be FIELD=VALUE",
                "break pcv/data | 2 | Unknown type \"pcv\"; did you mean",
                "delete 4 | 3 | There is no breakpoint 4",
                "print pvc/dat -n shop | 3 | No pvc/shop/dat at revision 0",
                "print pvc | 2 | Objects must be named TYPE/NAME",
                "list pvcx | 2 | Unknown type \"pvcx\"",
                "why pvc/none | 3 | No pvc/default/none at revision 0",
                "search nothing-has-this | 3 | No event matches",
                "search | 2 | Use: search",
                "quit | 0 |",
            })
    void script_failingLine_endsWithItsExitCode(String line, int code, String message) {
        assertThat(run(line + "\ngoto last\n")).as(errors()).isEqualTo(code);
        assertThat(errors()).contains(message == null ? "" : message);
        assertThat(output().contains("ClaimDeleted"))
                .as("the next line was executed")
                .isEqualTo(code == 0 && !line.equals("quit"));
    }

    @Test
    void print_nearMiss_namesTheNearestObject() {
        assertThat(run("print pvc/shop/dat\n", "--until", "3")).isEqualTo(3);
        assertThat(errors()).contains("did you mean pvc/shop/data?");
    }

    @Test
    void help_listsEveryCommand() {
        assertThat(run("help\n")).isZero();
        assertThat(output())
                .contains("next [N]", "prev", "goto", "break", "run", "print", "list", "diff", "why", "search", "quit");
    }

    @Test
    void verify_reportsDamageWithExitCode6() throws IOException {
        assertThat(run("", "--verify")).isZero();
        assertThat(output()).startsWith("ok: 7 events, last revision 7");
        Path segment;
        try (Stream<Path> files = Files.list(data.resolve("log"))) {
            segment = files.filter(each -> each.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] content = Files.readAllBytes(segment);
        content[300] ^= 1;
        Files.write(segment, content);
        assertThat(run("", "--verify")).isEqualTo(6);
        assertThat(output()).startsWith("DAMAGED");
    }

    @Test
    void offlineBundle_isPrivateAndOpens() throws IOException {
        Path file = data.resolve("b.zip");
        assertThat(new Cli(ServerFixture.ambient("", out, err))
                        .run("debug", "bundle", "--data", data.toString(), "--from", "2", "-o", file.toString()))
                .as(errors())
                .isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(output()).isEqualTo(file + "\n");
        assertThat(run("next\nprint secrets/db -n shop\n", "--bundle", file.toString(), "--until", "3"))
                .as(errors())
                .isZero();
        assertThat(output()).contains("SecretCreated").doesNotContain("aHVudGVyMg");
        assertThat(run("", "--bundle", file.toString(), "--verify")).isZero();
        err.reset();
        assertThat(new Cli(ServerFixture.ambient("", out, err)).run("replay", "--data", file.toString()))
                .isEqualTo(2);
        assertThat(errors()).contains("mooring replay --bundle " + file);
        assertThat(output()).isEqualTo("ok: 5 events, last revision 7\n");
        assertThat(run("", "--bundle", data.resolve("none.zip").toString())).isEqualTo(1);
        assertThat(errors()).contains("does not exist");
    }
}
