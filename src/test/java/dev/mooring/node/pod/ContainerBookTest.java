package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.pod.ContainerBook.Busy;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ContainerBookTest {
    private static final ObjectKey POD = Pod.key("default", "p");
    private static final ContainerFacts RUNNING = Facts.container("c", 0, State.RUNNING, Facts.START);
    private static final ContainerFacts ENDED = Facts.ended("c", 0, 1, Facts.START);

    private boolean hadEngine = true;
    private final ContainerBook book = new ContainerBook(() -> hadEngine);

    @Test
    void whoDoesNotKnowYetSaysThatSomethingMayRun() {
        assertThat(book.mayRun("uid-p")).isTrue();

        hadEngine = false;
        assertThat(book.mayRun("uid-p")).isFalse();
    }

    @Test
    void onlyContainersThatRunMayRunAndASandboxIsNone() {
        book.load(List.of(Facts.sandbox(0, State.RUNNING, Facts.START), ENDED), book.ticket());
        assertThat(book.mayRun("uid-p")).isFalse();

        book.put(Facts.container("c", 1, State.RUNNING, Facts.START), book.ticket());
        assertThat(book.mayRun("uid-p")).isTrue();
        assertThat(book.mayRun("uid-q")).isFalse();
    }

    @Test
    void whatIsBeingDoneToAContainerMayRun() {
        book.load(List.of(), book.ticket());
        book.begin("uid-p", POD, Step.SANDBOX, new Busy(Optional.empty()));
        assertThat(book.mayRun("uid-p")).isFalse();

        book.begin("uid-p", POD, Step.slot("c"), new Busy(Optional.empty()));
        assertThat(book.mayRun("uid-p")).isTrue();

        book.ended("uid-p", Step.slot("c"), Optional.empty());
        assertThat(book.mayRun("uid-p")).isFalse();
    }

    @Test
    void whatIsMadeMayRunSinceSomebodyMayHaveAskedForIt() {
        book.load(List.of(), book.ticket());
        book.put(Facts.container("c", 0, State.CREATED, Facts.START), book.ticket());
        assertThat(book.mayRun("uid-p")).isTrue();

        book.put(Facts.unstartable("c", 0, Facts.START), book.ticket());
        assertThat(book.mayRun("uid-p")).isFalse();
    }

    @Test
    void whatHasEndedDoesNotRunWhileItIsRemoved() {
        book.load(List.of(ENDED), book.ticket());
        book.begin("uid-p", POD, Step.REMOVAL, new Busy(Optional.empty()));

        assertThat(book.mayRun("uid-p")).isFalse();
    }

    @Test
    void tellsWhoWaitsForItThatNoContainerMayRunAnyMore() {
        List<ObjectKey> told = new ArrayList<>();
        book.whenEnded(told::add);
        book.load(List.of(RUNNING), book.ticket());
        book.begin("uid-p", POD, Step.SANDBOX, new Busy(Optional.empty()));
        book.ended("uid-p", Step.SANDBOX, Optional.empty());
        book.begin("uid-p", POD, Step.slot("c"), new Busy(Optional.empty()));
        book.ended("uid-p", Step.slot("c"), Optional.empty());
        assertThat(told).isEmpty();

        book.begin("uid-p", POD, Step.Stop.slot("c"), new Busy(Optional.empty()));
        book.put(ENDED, book.ticket());
        book.ended("uid-p", Step.Stop.slot("c"), Optional.empty());
        assertThat(told).containsExactly(POD);
    }

    @Test
    void whatWentWrongWhileTheEngineWasAwayIsTriedAtOnceWhenItIsBack() {
        book.load(List.of(ENDED), book.ticket());
        book.ended("uid-p", Step.slot("c"), Optional.of(Trouble.after(null, "x", "gone", Facts.START)));
        book.load(List.of(ENDED), book.ticket());
        assertThat(book.page("uid-p").troubles()).isNotEmpty();

        book.absent("gone");
        book.load(List.of(ENDED), book.ticket());
        assertThat(book.page("uid-p").troubles()).isEmpty();
    }

    @Test
    void whatWasKnownStaysWhileTheEngineIsAway() {
        book.load(List.of(RUNNING), book.ticket());
        book.absent("gone");

        assertThat(book.isPresent()).isFalse();
        assertThat(book.mayRun("uid-p")).isTrue();
        assertThat(book.page("uid-p").of("c")).containsExactly(RUNNING);
    }

    @Test
    void whatIsToldLateDoesNotOverwriteWhatIsNewer() {
        book.load(List.of(), book.ticket());
        long early = book.ticket();
        assertThat(book.put(ENDED, book.ticket())).contains(POD);

        assertThat(book.put(RUNNING, early)).isEmpty();

        assertThat(book.page("uid-p").of("c")).containsExactly(ENDED);
    }

    @Test
    void whatWasRemovedDoesNotComeBackByALateWord() {
        book.load(List.of(ENDED), book.ticket());
        long early = book.ticket();
        assertThat(book.removed(ENDED.id())).contains(POD);

        assertThat(book.put(ENDED, early)).isEmpty();

        assertThat(book.pods()).isEmpty();
    }

    @Test
    void aListFromBeforeDoesNotRemoveWhatWasMadeMeanwhile() {
        book.load(List.of(ENDED), book.ticket());
        long listed = book.ticket();
        book.put(Facts.container("c", 1, State.CREATED, Facts.START), book.ticket());

        assertThat(book.load(List.of(), listed)).containsExactly(POD);

        assertThat(book.page("uid-p").of("c"))
                .extracting(each -> each.whose().attempt())
                .containsExactly(1);
    }

    @Test
    void ofTwoWithOneNameOnlyTheNewerIsThere() {
        ContainerFacts other = new ContainerFacts(
                "another",
                RUNNING.name(),
                RUNNING.image(),
                RUNNING.imageId(),
                RUNNING.labels(),
                State.RUNNING,
                RUNNING.created(),
                RUNNING.started(),
                Optional.empty(),
                0,
                false,
                "",
                "");
        book.load(List.of(RUNNING), book.ticket());
        long early = book.ticket();

        assertThat(book.put(other, book.ticket())).contains(POD);
        assertThat(book.put(RUNNING, early)).isEmpty();

        assertThat(book.page("uid-p").of("c")).containsExactly(other);
    }

    @Test
    void whatIsNoNewsWakesNobody() {
        book.load(List.of(RUNNING), book.ticket());

        assertThat(book.put(RUNNING, book.ticket())).isEmpty();
        assertThat(book.load(List.of(RUNNING), book.ticket())).isEmpty();
    }

    @Test
    void twoThingsAreNotDoneInOnePlace() {
        assertThat(book.begin("uid-p", POD, "x", new Busy(Optional.empty()))).isTrue();
        assertThat(book.begin("uid-p", POD, "x", new Busy(Optional.empty()))).isFalse();
        assertThat(book.begin("uid-p", POD, "y", new Busy(Optional.empty()))).isTrue();
    }

    @Test
    void aPodOfWhichNothingIsLeftIsForgotten() {
        book.load(List.of(RUNNING), book.ticket());
        assertThat(book.uidsOf(POD)).containsExactly("uid-p");

        book.removed(RUNNING.id());

        assertThat(book.uidsOf(POD)).isEmpty();
    }

    @Test
    void theNewestAttemptComesFirst() {
        book.load(List.of(ENDED, Facts.container("c", 1, State.RUNNING, Facts.START)), book.ticket());

        assertThat(book.find("uid-p", "c", 0).orElseThrow().state()).isEqualTo(State.RUNNING);
        assertThat(book.find("uid-p", "c", 1)).contains(ENDED);
        assertThat(book.find("uid-p", "c", 2)).isEmpty();
        assertThat(book.find("uid-p", "d", 0)).isEmpty();
    }
}
