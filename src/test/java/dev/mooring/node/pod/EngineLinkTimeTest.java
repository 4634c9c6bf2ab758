package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ContainerRuntime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the link does as time passes, and when. */
class EngineLinkTimeTest extends LinkBench {
    @Test
    void listsAgainFiveMinutesAfterTheLastListWhateverHappensMeanwhile() {
        up();
        for (int i = 0; i < 29; i++) {
            pass(Duration.ofSeconds(10));
            happens(RUNNING.id());
            settle();
        }
        assertThat(asked()).hasSize(29).containsOnly("inspect " + RUNNING.id());

        listed = List.of(ENDED);
        pass(Duration.ofMillis(9_999));
        assertThat(asked()).isEmpty();
        pass(Duration.ofMillis(1));
        assertThat(asked()).containsExactly("list");
        assertThat(woken).containsExactly(POD);
        assertThat(book.page("uid-p").of("c")).containsExactly(ENDED);
        pass(Duration.ofMinutes(5));
        assertThat(asked()).containsExactly("list");
        assertThat(told).isEmpty();
    }

    @Test
    void aListThatFailsIsAskedForAgainAndOneThatIsNotAnsweredIsAnAbsence() {
        up();
        failing.put("list", broken);
        pass(Duration.ofMinutes(5));
        pass(Duration.ofSeconds(5));
        assertThat(asked()).containsExactly("list", "list");
        assertThat(told).isEmpty();
        assertThat(book.isPresent()).isTrue();

        failing.put("list", slow);
        pass(Duration.ofSeconds(5));
        assertThat(told).containsExactly("absent: too slow");
        assertThat(book.isPresent()).isFalse();
    }

    @Test
    void aContainerThatCannotBeSeenIsTriedAgainLessAndLessOften() {
        up();
        String inspect = "inspect " + RUNNING.id();
        failing.put(inspect, slow);
        happens(RUNNING.id());
        settle();
        assertThat(asked()).containsExactly(inspect);
        for (int wait : List.of(200, 400, 800, 1600, 3200, 5000, 5000)) {
            pass(Duration.ofMillis(wait - 1));
            assertThat(asked()).isEmpty();
            pass(Duration.ofMillis(1));
            assertThat(asked()).containsExactly(inspect);
        }

        failing.clear();
        has = Optional.of(ENDED);
        pass(Duration.ofSeconds(5));
        assertThat(asked()).containsExactly(inspect);
        assertThat(woken).containsExactly(POD);
        assertThat(told).isEmpty();
        pass(Duration.ofMinutes(1));
        assertThat(asked()).isEmpty();
    }

    @Test
    void whatHappensToAContainerDuringALookIsLookedAtAfterwards() {
        up();
        String inspect = "inspect " + RUNNING.id();
        during.put(inspect, () -> {
            happens(RUNNING.id());
            happens(RUNNING.id());
            assertThat(threads).isEmpty();
        });
        happens(RUNNING.id());
        settle();
        assertThat(asked()).containsExactly(inspect, inspect);
    }

    @Test
    void looksThatHangKeepOthersWaitingForSomeSecondsOnly() {
        up();
        for (int i = 0; i < 16; i++) {
            happens("hung-" + i);
        }
        List<Runnable> hanging = List.copyOf(threads);
        threads.clear();
        happens(RUNNING.id());
        assertThat(hanging).hasSize(16);
        assertThat(threads).isEmpty();

        has = Optional.of(ENDED);
        timers.advanceTimeBy(5, TimeUnit.SECONDS);
        settle();
        // Asked whether it is there, once for all that hang.
        assertThat(asked()).containsExactly("info", "inspect " + RUNNING.id());
        assertThat(book.page("uid-p").of("c")).containsExactly(ENDED);
        assertThat(told).isEmpty();

        for (int i = 16; i < 40; i++) {
            happens("hung-" + i);
        }
        assertThat(threads).hasSize(16);
        hanging.forEach(Runnable::run);
        assertThat(threads).hasSize(16);
        settle();
        assertThat(asked()).hasSize(40).doesNotHaveDuplicates();
    }

    @Test
    void anEngineThatDoesNotAnswerWhenAContainerDoesNotIsAbsent() {
        up();
        happens("hung");
        Runnable hanging = threads.poll();
        failing.put("info", slow);
        pass(Duration.ofSeconds(5));
        assertThat(told).containsExactly("absent: too slow");

        failing.clear();
        pass(Duration.ofMillis(200));
        assertThat(asked()).containsExactly("info", "unfollow", "info", "follow", "list");
        assertThat(told).containsExactly("absent: too slow", "present");
        woken.clear();
        has = Optional.of(ENDED);
        hanging.run();
        assertThat(woken).as("what a former time brings").isEmpty();
        assertThat(book.page("uid-p").of("c")).containsExactly(RUNNING);
    }

    @Test
    void theEndOfAFormerFeedConcernsNobody() {
        up();
        ContainerRuntime.Follower former = followers.get(0);
        former.ended(gone);
        assertThat(asked()).containsExactly("unfollow");
        pass(Duration.ofMillis(200));
        assertThat(told).containsExactly("absent: connection refused", "present");
        asked.clear();

        former.ended(gone);
        former.happened(RUNNING.id());
        pass(Duration.ofMinutes(4));

        assertThat(told).hasSize(2);
        assertThat(asked()).isEmpty();
        assertThat(book.isPresent()).isTrue();
    }

    @Test
    void aFeedThatEndsBeforeItHasBegunIsClosed() {
        during.put("list", () -> followers.get(0).ended(gone));
        link.start();
        settle();
        assertThat(told).containsExactly("absent: connection refused");
        assertThat(asked()).containsExactly("info", "follow", "list", "unfollow");
        assertThat(book.isPresent()).isFalse();
    }

    @Test
    void anEngineThatGoesAsSoonAsItComesIsAskedLessAndLessOften() {
        up();
        for (int wait : List.of(200, 400, 800, 1600)) {
            followers.get(followers.size() - 1).ended(gone);
            asked.clear();
            pass(Duration.ofMillis(wait - 1));
            assertThat(asked()).isEmpty();
            pass(Duration.ofMillis(1));
            assertThat(asked()).containsExactly("info", "follow", "list");
        }

        happens(RUNNING.id());
        settle();
        followers.get(followers.size() - 1).ended(gone);
        asked.clear();
        pass(Duration.ofMillis(200));
        assertThat(asked()).containsExactly("info", "follow", "list");
    }

    @Test
    void whatWasNotSeenCloselyInAListIsLookedAt() {
        ContainerFacts fromAfar = withoutTimes(RUNNING);
        listed = List.of(fromAfar);
        link.start();
        settle();
        assertThat(asked()).containsExactly("info", "follow", "list", "inspect " + RUNNING.id());
        assertThat(book.page("uid-p").of("c")).containsExactly(RUNNING);

        woken.clear();
        failing.put("inspect " + RUNNING.id(), slow);
        pass(Duration.ofMinutes(5));
        assertThat(woken).isEmpty();
        assertThat(book.page("uid-p").of("c")).containsExactly(RUNNING);

        listed = List.of(withoutTimes(ENDED));
        pass(Duration.ofMinutes(5));
        assertThat(woken).containsExactly(POD);
        assertThat(book.page("uid-p").of("c").get(0).state()).isEqualTo(State.EXITED);
    }

    private static ContainerFacts withoutTimes(ContainerFacts facts) {
        return new ContainerFacts(
                facts.id(),
                facts.name(),
                facts.image(),
                facts.imageId(),
                facts.labels(),
                facts.state(),
                facts.created(),
                Optional.empty(),
                Optional.empty(),
                facts.exitCode(),
                false,
                "",
                "");
    }

    @Test
    void nothingIsToldAfterClosing() {
        during.put("list", link::close);
        link.start();
        settle();
        pass(Duration.ofMinutes(10));
        assertThat(asked()).containsExactly("info", "follow", "list", "unfollow");
        assertThat(told).isEmpty();
        assertThat(woken).isEmpty();
        followers.get(0).ended(gone);
        followers.get(0).happened(RUNNING.id());
        settle();
        assertThat(asked()).isEmpty();
        assertThat(told).isEmpty();
    }

    @Test
    void aFeedThatBeginsAfterClosingIsClosed() {
        during.put("follow", link::close);
        link.start();
        settle();
        assertThat(asked()).containsExactly("info", "follow", "unfollow");
    }

    @Test
    void oneThatIsClosedWhileTheEngineIsAwayAsksNoMore() {
        failing.put("info", gone);
        link.start();
        settle();
        link.close();
        pass(Duration.ofMinutes(10));
        assertThat(asked()).containsExactly("info");
    }

    @Test
    void anInterruptionSaysNothingAboutTheEngine() {
        interrupting.add("info");
        link.start();
        settle();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(told).isEmpty();
        pass(Duration.ofMillis(200));
        assertThat(told).containsExactly("present");

        interrupting.add("inspect " + RUNNING.id());
        has = Optional.of(ENDED);
        happens(RUNNING.id());
        settle();
        assertThat(Thread.interrupted()).isTrue();
        pass(Duration.ofMillis(200));
        assertThat(book.page("uid-p").of("c")).containsExactly(ENDED);
        assertThat(told).containsExactly("present");
    }
}
