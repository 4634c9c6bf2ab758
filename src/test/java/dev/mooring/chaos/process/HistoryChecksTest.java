package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.chaos.process.ObjectVersion.VersionKind;
import dev.mooring.chaos.process.RecordedCall.CallAnswer;
import dev.mooring.chaos.process.RecordedCall.CallVerb;
import dev.mooring.chaos.process.RecordedCall.SeenObject;
import dev.mooring.chaos.process.WatchStep.Received;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that the checks of histories find injected errors and report nothing for a valid history. */
class HistoryChecksTest {
    private static final String KEY = "configmaps/default/a";
    private static final String OTHER = "configmaps/default/b";

    /** a is created (1), changed by a controller (2), changed (3), deleted (4), created again (5); b is created (6). */
    private static final ObjectVersion CREATED = version(KEY, 1, 0, VersionKind.ADDED, "u1", "v1");

    private static final ObjectVersion TOUCHED =
            new ObjectVersion(KEY, 2, 1, VersionKind.MODIFIED, "u1", "v1", false, 102, "a-controller");
    private static final ObjectVersion CHANGED = version(KEY, 3, 2, VersionKind.MODIFIED, "u1", "v3");
    private static final ObjectVersion DELETED = version(KEY, 4, 3, VersionKind.DELETED, "u1", "v3");
    private static final ObjectVersion RECREATED = version(KEY, 5, 0, VersionKind.ADDED, "u2", "v5");
    private static final ObjectVersion CREATED_B = version(OTHER, 6, 0, VersionKind.ADDED, "u3", "v6");
    private static final List<ObjectVersion> HISTORY =
            List.of(CREATED, TOUCHED, CHANGED, DELETED, RECREATED, CREATED_B);

    private static final RecordedCall CREATE =
            call(CallVerb.CREATE, 0, "", "v1", 10, 20, new RecordedCall.Written(CREATED.seen()));
    private static final RecordedCall UPDATE =
            call(CallVerb.UPDATE, 2, "", "v3", 30, 40, new RecordedCall.Written(CHANGED.seen()));
    private static final RecordedCall DELETE =
            call(CallVerb.DELETE, 0, "u1", "", 50, 60, new RecordedCall.Removed("u1"));
    private static final RecordedCall RECREATE =
            call(CallVerb.CREATE, 0, "", "v5", 70, 80, new RecordedCall.Written(RECREATED.seen()));
    private static final RecordedCall CREATE_B =
            new RecordedCall(CallVerb.CREATE, OTHER, 0, "", "v6", 90, 100, new RecordedCall.Written(CREATED_B.seen()));
    private static final List<RecordedCall> CALLS = List.of(CREATE, UPDATE, DELETE, RECREATE, CREATE_B);

    private static final List<WatchStep> WATCHED = List.of(
            new WatchStep.Listed(0, Map.of()),
            received(CREATED),
            received(TOUCHED),
            new WatchStep.Resumed(2),
            received(CHANGED),
            received(DELETED),
            new WatchStep.Bookmark(4),
            received(RECREATED),
            received(CREATED_B));

    private static ObjectVersion version(
            String key, long revision, long prior, VersionKind kind, String uid, String value) {
        return new ObjectVersion(key, revision, prior, kind, uid, value, false, 100 + revision, "admin");
    }

    private static RecordedCall call(
            CallVerb verb, long ifRevision, String ifUid, String value, long from, long to, CallAnswer answer) {
        return new RecordedCall(verb, KEY, ifRevision, ifUid, value, from, to, answer);
    }

    private static RecordedCall get(long from, long to, CallAnswer answer) {
        return call(CallVerb.GET, 0, "", "", from, to, answer);
    }

    private static WatchStep received(ObjectVersion version) {
        return new Received(version.kind(), version.key(), version.seen());
    }

    private static <T> List<T> with(List<T> list, T more) {
        List<T> longer = new ArrayList<>(list);
        longer.add(more);
        return longer;
    }

    private static <T> List<T> replaced(List<T> list, T one, T other) {
        return list.stream().map(each -> each.equals(one) ? other : each).toList();
    }

    private static <T> List<T> without(List<T> list, T one) {
        return list.stream().filter(each -> !each.equals(one)).toList();
    }

    @Test
    void checks_validHistory_findNoProblem() {
        RecordedHistory history = RecordedHistory.of(HISTORY);
        List<RecordedCall> calls = new ArrayList<>(CALLS);
        calls.add(get(15, 25, new RecordedCall.ReadObject(CREATED.seen())));
        calls.add(get(15, 25, new RecordedCall.Absent()));
        calls.add(get(35, 65, new RecordedCall.ReadObject(TOUCHED.seen())));
        calls.add(get(55, 75, new RecordedCall.Absent()));
        calls.add(call(CallVerb.CREATE, 0, "", "x1", 32, 33, new RecordedCall.Exists()));
        calls.add(call(CallVerb.UPDATE, 1, "", "x2", 32, 33, new RecordedCall.Conflict()));
        calls.add(call(CallVerb.DELETE, 0, "u1", "", 85, 86, new RecordedCall.Conflict()));
        calls.add(call(CallVerb.UPDATE, 0, "", "x3", 5, 6, new RecordedCall.Unknown()));
        List<ListResult> lists = List.of(new ListResult("configmaps", 41, 49, 3, Map.of(KEY, CHANGED.seen())));
        assertThat(WriteCheck.problems(history, calls, "admin")).isEmpty();
        assertThat(LinearizabilityCheck.problems(history, calls, lists)).isEmpty();
        assertThat(WatchCheck.problems(history, "configmaps", WATCHED, 6)).isEmpty();
    }

    static Stream<Arguments> badWrites() {
        RecordedCall unknown = call(CallVerb.UPDATE, 2, "", "v3", 30, 40, new RecordedCall.Unknown());
        ObjectVersion twice = version(OTHER, 7, 6, VersionKind.MODIFIED, "u3", "v6");
        return Stream.of(
                Arguments.of("lost", without(HISTORY, CREATED_B), CALLS),
                Arguments.of(
                        "is lost",
                        HISTORY,
                        replaced(CALLS, CREATE, call(CallVerb.CREATE, 0, "", "v1", 10, 20, written(9)))),
                Arguments.of("differs from", replaced(HISTORY, CHANGED, withDigest(CHANGED, 7)), CALLS),
                Arguments.of("was lost", without(without(HISTORY, DELETED), RECREATED), without(CALLS, RECREATE)),
                Arguments.of("requested by no client", HISTORY, without(CALLS, UPDATE)),
                Arguments.of("requested by no client", HISTORY, without(CALLS, DELETE)),
                Arguments.of("happened twice", with(HISTORY, twice), CALLS),
                Arguments.of("although it was refused", HISTORY, refused(UPDATE, new RecordedCall.Conflict())),
                Arguments.of("to another revision", HISTORY, replaced(CALLS, UPDATE, revision(UPDATE, 1))),
                Arguments.of("to another revision", HISTORY, replaced(CALLS, UPDATE, revision(unknown, 1))),
                Arguments.of("another call had removed", HISTORY, with(CALLS, DELETE)),
                Arguments.of("shares its revision", HISTORY, with(CALLS, CREATE)),
                Arguments.of("not its own", replaced(HISTORY, CHANGED, withOtherActor(CHANGED)), CALLS),
                Arguments.of("does not follow", without(HISTORY, CREATED), without(CALLS, CREATE)),
                Arguments.of("another object", replaced(HISTORY, CHANGED, uid(CHANGED)), CALLS));
    }

    private static CallAnswer written(long revision) {
        return new RecordedCall.Written(new SeenObject(revision, "u1", "v1", 101));
    }

    private static List<RecordedCall> refused(RecordedCall call, CallAnswer answer) {
        return replaced(
                CALLS,
                call,
                call(call.verb(), call.ifRevision(), call.ifUid(), call.value(), call.invoked(), call.ended(), answer));
    }

    private static RecordedCall revision(RecordedCall call, long revision) {
        return call(call.verb(), revision, "", call.value(), call.invoked(), call.ended(), call.answer());
    }

    private static ObjectVersion withDigest(ObjectVersion of, long digest) {
        return new ObjectVersion(
                of.key(), of.revision(), of.prior(), of.kind(), of.uid(), of.value(), false, digest, "admin");
    }

    private static ObjectVersion withOtherActor(ObjectVersion of) {
        return new ObjectVersion(
                of.key(), of.revision(), of.prior(), of.kind(), of.uid(), of.value(), false, of.digest(), "x");
    }

    private static ObjectVersion uid(ObjectVersion of) {
        return new ObjectVersion(
                of.key(), of.revision(), of.prior(), of.kind(), "u9", of.value(), false, of.digest(), "admin");
    }

    @ParameterizedTest
    @MethodSource("badWrites")
    void writeCheck_historyContradictsResponses_findsProblem(
            String problem, List<ObjectVersion> history, List<RecordedCall> calls) {
        assertThat(WriteCheck.problems(RecordedHistory.of(history), calls, "admin"))
                .anySatisfy(found -> assertThat(found).contains(problem));
    }

    static Stream<Arguments> badOrders() {
        return Stream.of(
                Arguments.of("a stale read", get(41, 49, new RecordedCall.ReadObject(TOUCHED.seen()))),
                Arguments.of("a read of the future", get(21, 29, new RecordedCall.ReadObject(RECREATED.seen()))),
                Arguments.of(
                        "a read of an object that never existed",
                        get(41, 49, new RecordedCall.ReadObject(new SeenObject(3, "u1", "v3", 7)))),
                Arguments.of(
                        "a read of a lost revision",
                        get(41, 49, new RecordedCall.ReadObject(new SeenObject(9, "u1", "v3", 7)))),
                Arguments.of("absent before it was deleted", get(41, 49, new RecordedCall.Absent())),
                Arguments.of("present after it was deleted", get(61, 69, new RecordedCall.ReadObject(CHANGED.seen()))),
                Arguments.of(
                        "AlreadyExists for a missing object",
                        call(CallVerb.CREATE, 0, "", "x", 61, 69, new RecordedCall.Exists())),
                Arguments.of(
                        "Conflict although the revision matches",
                        call(CallVerb.UPDATE, 3, "", "x", 41, 49, new RecordedCall.Conflict())),
                Arguments.of(
                        "Conflict although the uid matches",
                        call(CallVerb.DELETE, 0, "u2", "", 81, 89, new RecordedCall.Conflict())),
                Arguments.of(
                        "a write before its request",
                        call(CallVerb.UPDATE, 0, "", "v3", 65, 69, new RecordedCall.Unknown())));
    }

    @ParameterizedTest
    @MethodSource("badOrders")
    void linearizabilityCheck_callFitsNoOrder_findsProblem(String description, RecordedCall call) {
        List<RecordedCall> calls = with(call.value().equals("v3") ? without(CALLS, UPDATE) : CALLS, call);
        assertThat(LinearizabilityCheck.problems(RecordedHistory.of(HISTORY), calls, List.of()))
                .as(description)
                .isNotEmpty();
    }

    @Test
    void linearizabilityCheck_writeOrderDiffersFromRevisions_findsProblem() {
        RecordedCall late = call(CallVerb.CREATE, 0, "", "v1", 45, 48, CREATE.answer());
        assertThat(LinearizabilityCheck.problems(RecordedHistory.of(HISTORY), replaced(CALLS, CREATE, late), List.of()))
                .isNotEmpty();
    }

    @Test
    void linearizabilityCheck_staleOrInconsistentList_findsProblem() {
        RecordedHistory history = RecordedHistory.of(HISTORY);
        ListResult old = new ListResult("configmaps", 101, 102, 3, Map.of(KEY, CHANGED.seen()));
        assertThat(LinearizabilityCheck.problems(history, CALLS, List.of(old))).isNotEmpty();
        ListResult mixed =
                new ListResult("configmaps", 101, 102, 6, Map.of(KEY, CHANGED.seen(), OTHER, CREATED_B.seen()));
        assertThat(LinearizabilityCheck.problems(history, CALLS, List.of(mixed)))
                .isNotEmpty();
    }

    static Stream<Arguments> badWatches() {
        return Stream.of(
                Arguments.of("an event is missing", without(WATCHED, received(TOUCHED))),
                Arguments.of("the last event is missing", without(WATCHED, received(CREATED_B))),
                Arguments.of("an event is repeated", with(WATCHED, received(CREATED_B))),
                Arguments.of("other content", replaced(WATCHED, received(CHANGED), received(withDigest(CHANGED, 7)))),
                Arguments.of(
                        "different type",
                        replaced(WATCHED, received(CHANGED), new Received(VersionKind.ADDED, KEY, CHANGED.seen()))),
                Arguments.of(
                        "a list of another revision",
                        replaced(WATCHED, WATCHED.get(0), new WatchStep.Listed(1, Map.of()))),
                Arguments.of("wrong resume revision", replaced(WATCHED, WATCHED.get(3), new WatchStep.Resumed(1))),
                Arguments.of("a bookmark ahead", replaced(WATCHED, WATCHED.get(6), new WatchStep.Bookmark(5))),
                Arguments.of("a bookmark behind", replaced(WATCHED, WATCHED.get(6), new WatchStep.Bookmark(3))));
    }

    @ParameterizedTest
    @MethodSource("badWatches")
    void watchCheck_missingOrWrongEvents_findsProblem(String description, List<WatchStep> steps) {
        assertThat(WatchCheck.problems(RecordedHistory.of(HISTORY), "configmaps", steps, 6))
                .as(description)
                .isNotEmpty();
    }

    @Test
    void watchCheck_watchRestartsWithListOrRevision_findsNoProblem() {
        List<WatchStep> steps = with(
                with(WATCHED.subList(0, 3), new WatchStep.Listed(3, Map.of(KEY, CHANGED.seen()))), received(DELETED));
        assertThat(WatchCheck.problems(RecordedHistory.of(HISTORY), "configmaps", steps, 4))
                .isEmpty();
        List<WatchStep> restarted = with(with(WATCHED, new WatchStep.Began(5)), received(CREATED_B));
        assertThat(WatchCheck.problems(RecordedHistory.of(HISTORY), "configmaps", restarted, 6))
                .isEmpty();
    }
}
