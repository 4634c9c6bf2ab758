package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.chaos.process.Call.Answer;
import dev.mooring.chaos.process.Call.Seen;
import dev.mooring.chaos.process.Call.Verb;
import dev.mooring.chaos.process.Version.Kind;
import dev.mooring.chaos.process.WatchStep.Told;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The checks of histories find what is planted, and nothing in a history that is sound. */
class HistoryChecksTest {
    private static final String KEY = "configmaps/default/a";
    private static final String OTHER = "configmaps/default/b";

    /** a is made (1), changed by a controller (2), changed (3), deleted (4), made again (5); b is made (6). */
    private static final Version MADE = version(KEY, 1, 0, Kind.ADDED, "u1", "v1");

    private static final Version TOUCHED =
            new Version(KEY, 2, 1, Kind.MODIFIED, "u1", "v1", false, 102, "a-controller");
    private static final Version CHANGED = version(KEY, 3, 2, Kind.MODIFIED, "u1", "v3");
    private static final Version DELETED = version(KEY, 4, 3, Kind.DELETED, "u1", "v3");
    private static final Version AGAIN = version(KEY, 5, 0, Kind.ADDED, "u2", "v5");
    private static final Version BESIDE = version(OTHER, 6, 0, Kind.ADDED, "u3", "v6");
    private static final List<Version> HISTORY = List.of(MADE, TOUCHED, CHANGED, DELETED, AGAIN, BESIDE);

    private static final Call MAKE = call(Verb.CREATE, 0, "", "v1", 10, 20, new Call.Written(MADE.seen()));
    private static final Call CHANGE = call(Verb.UPDATE, 2, "", "v3", 30, 40, new Call.Written(CHANGED.seen()));
    private static final Call DELETE = call(Verb.DELETE, 0, "u1", "", 50, 60, new Call.Removed("u1"));
    private static final Call MAKE_AGAIN = call(Verb.CREATE, 0, "", "v5", 70, 80, new Call.Written(AGAIN.seen()));
    private static final Call MAKE_BESIDE =
            new Call(Verb.CREATE, OTHER, 0, "", "v6", 90, 100, new Call.Written(BESIDE.seen()));
    private static final List<Call> CALLS = List.of(MAKE, CHANGE, DELETE, MAKE_AGAIN, MAKE_BESIDE);

    private static final List<WatchStep> WATCHED = List.of(
            new WatchStep.Listed(0, Map.of()),
            told(MADE),
            told(TOUCHED),
            new WatchStep.Resumed(2),
            told(CHANGED),
            told(DELETED),
            new WatchStep.Bookmark(4),
            told(AGAIN),
            told(BESIDE));

    private static Version version(String key, long revision, long prior, Kind kind, String uid, String value) {
        return new Version(key, revision, prior, kind, uid, value, false, 100 + revision, "admin");
    }

    private static Call call(
            Verb verb, long ifRevision, String ifUid, String value, long from, long to, Answer answer) {
        return new Call(verb, KEY, ifRevision, ifUid, value, from, to, answer);
    }

    private static Call get(long from, long to, Answer answer) {
        return call(Verb.GET, 0, "", "", from, to, answer);
    }

    private static WatchStep told(Version version) {
        return new Told(version.kind(), version.key(), version.seen());
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
    void aSoundHistoryIsLeftAlone() {
        Truth truth = Truth.of(HISTORY);
        List<Call> calls = new ArrayList<>(CALLS);
        calls.add(get(15, 25, new Call.Found(MADE.seen())));
        calls.add(get(15, 25, new Call.Absent()));
        calls.add(get(35, 65, new Call.Found(TOUCHED.seen())));
        calls.add(get(55, 75, new Call.Absent()));
        calls.add(call(Verb.CREATE, 0, "", "x1", 32, 33, new Call.Exists()));
        calls.add(call(Verb.UPDATE, 1, "", "x2", 32, 33, new Call.Conflict()));
        calls.add(call(Verb.DELETE, 0, "u1", "", 85, 86, new Call.Conflict()));
        calls.add(call(Verb.UPDATE, 0, "", "x3", 5, 6, new Call.Unknown()));
        List<Listing> lists = List.of(new Listing("configmaps", 41, 49, 3, Map.of(KEY, CHANGED.seen())));
        assertThat(WriteCheck.problems(truth, calls, "admin")).isEmpty();
        assertThat(OrderCheck.problems(truth, calls, lists)).isEmpty();
        assertThat(WatchCheck.problems(truth, "configmaps", WATCHED, 6)).isEmpty();
    }

    static Stream<Arguments> badWrites() {
        Call unknown = call(Verb.UPDATE, 2, "", "v3", 30, 40, new Call.Unknown());
        Version twice = version(OTHER, 7, 6, Kind.MODIFIED, "u3", "v6");
        return Stream.of(
                Arguments.of("lost", without(HISTORY, BESIDE), CALLS),
                Arguments.of(
                        "is lost", HISTORY, replaced(CALLS, MAKE, call(Verb.CREATE, 0, "", "v1", 10, 20, written(9)))),
                Arguments.of("something else", replaced(HISTORY, CHANGED, print(CHANGED, 7)), CALLS),
                Arguments.of("was lost", without(without(HISTORY, DELETED), AGAIN), without(CALLS, MAKE_AGAIN)),
                Arguments.of("asked for by nobody", HISTORY, without(CALLS, CHANGE)),
                Arguments.of("asked for by nobody", HISTORY, without(CALLS, DELETE)),
                Arguments.of("happened twice", with(HISTORY, twice), CALLS),
                Arguments.of("although it was refused", HISTORY, refused(CHANGE, new Call.Conflict())),
                Arguments.of("upon another revision", HISTORY, replaced(CALLS, CHANGE, revision(CHANGE, 1))),
                Arguments.of("upon another revision", HISTORY, replaced(CALLS, CHANGE, revision(unknown, 1))),
                Arguments.of("removed what another", HISTORY, with(CALLS, DELETE)),
                Arguments.of("shares its revision", HISTORY, with(CALLS, MAKE)),
                Arguments.of("not its own", replaced(HISTORY, CHANGED, by(CHANGED)), CALLS),
                Arguments.of("does not follow", without(HISTORY, MADE), without(CALLS, MAKE)),
                Arguments.of("another object", replaced(HISTORY, CHANGED, uid(CHANGED)), CALLS));
    }

    private static Answer written(long revision) {
        return new Call.Written(new Seen(revision, "u1", "v1", 101));
    }

    private static List<Call> refused(Call call, Answer answer) {
        return replaced(
                CALLS,
                call,
                call(call.verb(), call.ifRevision(), call.ifUid(), call.value(), call.invoked(), call.ended(), answer));
    }

    private static Call revision(Call call, long revision) {
        return call(call.verb(), revision, "", call.value(), call.invoked(), call.ended(), call.answer());
    }

    private static Version print(Version of, long print) {
        return new Version(of.key(), of.revision(), of.prior(), of.kind(), of.uid(), of.value(), false, print, "admin");
    }

    private static Version by(Version of) {
        return new Version(
                of.key(), of.revision(), of.prior(), of.kind(), of.uid(), of.value(), false, of.print(), "x");
    }

    private static Version uid(Version of) {
        return new Version(
                of.key(), of.revision(), of.prior(), of.kind(), "u9", of.value(), false, of.print(), "admin");
    }

    @ParameterizedTest
    @MethodSource("badWrites")
    void aWriteThatIsNotWhatItsClientWasToldIsFound(String problem, List<Version> history, List<Call> calls) {
        assertThat(WriteCheck.problems(Truth.of(history), calls, "admin"))
                .anySatisfy(found -> assertThat(found).contains(problem));
    }

    static Stream<Arguments> badOrders() {
        return Stream.of(
                Arguments.of("a stale read", get(41, 49, new Call.Found(TOUCHED.seen()))),
                Arguments.of("a read of the future", get(21, 29, new Call.Found(AGAIN.seen()))),
                Arguments.of("a read of what never was", get(41, 49, new Call.Found(new Seen(3, "u1", "v3", 7)))),
                Arguments.of("a read of a lost revision", get(41, 49, new Call.Found(new Seen(9, "u1", "v3", 7)))),
                Arguments.of("gone before it was deleted", get(41, 49, new Call.Absent())),
                Arguments.of("there after it was deleted", get(61, 69, new Call.Found(CHANGED.seen()))),
                Arguments.of("exists, but it did not", call(Verb.CREATE, 0, "", "x", 61, 69, new Call.Exists())),
                Arguments.of("no conflict was there", call(Verb.UPDATE, 3, "", "x", 41, 49, new Call.Conflict())),
                Arguments.of("no other incarnation", call(Verb.DELETE, 0, "u2", "", 81, 89, new Call.Conflict())),
                Arguments.of("a write before its request", call(Verb.UPDATE, 0, "", "v3", 65, 69, new Call.Unknown())));
    }

    @ParameterizedTest
    @MethodSource("badOrders")
    void aCallThatFitsNoOrderIsFound(String what, Call call) {
        List<Call> calls = with(call.value().equals("v3") ? without(CALLS, CHANGE) : CALLS, call);
        assertThat(OrderCheck.problems(Truth.of(HISTORY), calls, List.of()))
                .as(what)
                .isNotEmpty();
    }

    @Test
    void writesInAnotherOrderThanTheirRevisionsAreFound() {
        Call late = call(Verb.CREATE, 0, "", "v1", 45, 48, MAKE.answer());
        assertThat(OrderCheck.problems(Truth.of(HISTORY), replaced(CALLS, MAKE, late), List.of()))
                .isNotEmpty();
    }

    @Test
    void listsThatAreOldOrMixedAreFound() {
        Truth truth = Truth.of(HISTORY);
        Listing old = new Listing("configmaps", 101, 102, 3, Map.of(KEY, CHANGED.seen()));
        assertThat(OrderCheck.problems(truth, CALLS, List.of(old))).isNotEmpty();
        Listing mixed = new Listing("configmaps", 101, 102, 6, Map.of(KEY, CHANGED.seen(), OTHER, BESIDE.seen()));
        assertThat(OrderCheck.problems(truth, CALLS, List.of(mixed))).isNotEmpty();
    }

    static Stream<Arguments> badWatches() {
        return Stream.of(
                Arguments.of("an event left out", without(WATCHED, told(TOUCHED))),
                Arguments.of("the last event left out", without(WATCHED, told(BESIDE))),
                Arguments.of("an event twice", with(WATCHED, told(BESIDE))),
                Arguments.of("another content", replaced(WATCHED, told(CHANGED), told(print(CHANGED, 7)))),
                Arguments.of(
                        "another type", replaced(WATCHED, told(CHANGED), new Told(Kind.ADDED, KEY, CHANGED.seen()))),
                Arguments.of(
                        "a list of another time", replaced(WATCHED, WATCHED.get(0), new WatchStep.Listed(1, Map.of()))),
                Arguments.of("resumed elsewhere", replaced(WATCHED, WATCHED.get(3), new WatchStep.Resumed(1))),
                Arguments.of("a bookmark ahead", replaced(WATCHED, WATCHED.get(6), new WatchStep.Bookmark(5))),
                Arguments.of("a bookmark behind", replaced(WATCHED, WATCHED.get(6), new WatchStep.Bookmark(3))));
    }

    @ParameterizedTest
    @MethodSource("badWatches")
    void aWatchThatIsNotCompleteIsFound(String what, List<WatchStep> steps) {
        assertThat(WatchCheck.problems(Truth.of(HISTORY), "configmaps", steps, 6))
                .as(what)
                .isNotEmpty();
    }

    @Test
    void aWatchMayBeginAnewWithAListOrARevisionOfItsChoice() {
        List<WatchStep> steps =
                with(with(WATCHED.subList(0, 3), new WatchStep.Listed(3, Map.of(KEY, CHANGED.seen()))), told(DELETED));
        assertThat(WatchCheck.problems(Truth.of(HISTORY), "configmaps", steps, 4))
                .isEmpty();
        List<WatchStep> anew = with(with(WATCHED, new WatchStep.Began(5)), told(BESIDE));
        assertThat(WatchCheck.problems(Truth.of(HISTORY), "configmaps", anew, 6))
                .isEmpty();
    }
}
