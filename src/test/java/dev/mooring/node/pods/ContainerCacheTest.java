package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.pods.ContainerCache.ActionInProgress;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ContainerCacheTest {
    private static final ObjectKey POD = Pod.key("default", "p");
    private static final ContainerFacts RUNNING =
            ContainerFactsFixture.container("c", 0, State.RUNNING, ContainerFactsFixture.START);
    private static final ContainerFacts ENDED = ContainerFactsFixture.ended("c", 0, 1, ContainerFactsFixture.START);

    private boolean hadEngine = true;
    private final ContainerCache cache = new ContainerCache(() -> hadEngine);

    @Test
    void mayRun_beforeFirstList_isTrueIfNodeHadEngine() {
        assertThat(cache.mayRun("uid-p")).isTrue();

        hadEngine = false;
        assertThat(cache.mayRun("uid-p")).isFalse();
    }

    @Test
    void mayRun_onlySandboxRuns_isFalse() {
        cache.load(
                List.of(ContainerFactsFixture.sandbox(0, State.RUNNING, ContainerFactsFixture.START), ENDED),
                cache.ticket());
        assertThat(cache.mayRun("uid-p")).isFalse();

        cache.put(ContainerFactsFixture.container("c", 1, State.RUNNING, ContainerFactsFixture.START), cache.ticket());
        assertThat(cache.mayRun("uid-p")).isTrue();
        assertThat(cache.mayRun("uid-q")).isFalse();
    }

    @Test
    void mayRun_containerActionInProgress_isTrue() {
        cache.load(List.of(), cache.ticket());
        cache.beginAction("uid-p", POD, PodAction.SANDBOX, new ActionInProgress(Optional.empty()));
        assertThat(cache.mayRun("uid-p")).isFalse();

        cache.beginAction("uid-p", POD, PodAction.slot("c"), new ActionInProgress(Optional.empty()));
        assertThat(cache.mayRun("uid-p")).isTrue();

        cache.endAction("uid-p", PodAction.slot("c"), Optional.empty());
        assertThat(cache.mayRun("uid-p")).isFalse();
    }

    @Test
    void mayRun_createdContainer_isTrueUnlessItsStartFailed() {
        cache.load(List.of(), cache.ticket());
        cache.put(ContainerFactsFixture.container("c", 0, State.CREATED, ContainerFactsFixture.START), cache.ticket());
        assertThat(cache.mayRun("uid-p")).isTrue();

        cache.put(ContainerFactsFixture.unstartable("c", 0, ContainerFactsFixture.START), cache.ticket());
        assertThat(cache.mayRun("uid-p")).isFalse();
    }

    @Test
    void mayRun_endedContainerBeingRemoved_isFalse() {
        cache.load(List.of(ENDED), cache.ticket());
        cache.beginAction("uid-p", POD, PodAction.REMOVAL, new ActionInProgress(Optional.empty()));

        assertThat(cache.mayRun("uid-p")).isFalse();
    }

    @Test
    void listener_noContainerMayRunAnyMore_isNotified() {
        List<ObjectKey> notified = new ArrayList<>();
        cache.onContainersEnded(notified::add);
        cache.load(List.of(RUNNING), cache.ticket());
        cache.beginAction("uid-p", POD, PodAction.SANDBOX, new ActionInProgress(Optional.empty()));
        cache.endAction("uid-p", PodAction.SANDBOX, Optional.empty());
        cache.beginAction("uid-p", POD, PodAction.slot("c"), new ActionInProgress(Optional.empty()));
        cache.endAction("uid-p", PodAction.slot("c"), Optional.empty());
        assertThat(notified).isEmpty();

        cache.beginAction("uid-p", POD, PodAction.StopContainer.slot("c"), new ActionInProgress(Optional.empty()));
        cache.put(ENDED, cache.ticket());
        cache.endAction("uid-p", PodAction.StopContainer.slot("c"), Optional.empty());
        assertThat(notified).containsExactly(POD);
    }

    @Test
    void failures_engineReturns_areCleared() {
        cache.load(List.of(ENDED), cache.ticket());
        cache.endAction(
                "uid-p",
                PodAction.slot("c"),
                Optional.of(PodActionFailure.after(null, "x", "gone", ContainerFactsFixture.START)));
        cache.load(List.of(ENDED), cache.ticket());
        assertThat(cache.cachedPod("uid-p").failures()).isNotEmpty();

        cache.markAbsent("gone");
        cache.load(List.of(ENDED), cache.ticket());
        assertThat(cache.cachedPod("uid-p").failures()).isEmpty();
    }

    @Test
    void containers_engineAbsent_areKept() {
        cache.load(List.of(RUNNING), cache.ticket());
        cache.markAbsent("gone");

        assertThat(cache.isPresent()).isFalse();
        assertThat(cache.mayRun("uid-p")).isTrue();
        assertThat(cache.cachedPod("uid-p").of("c")).containsExactly(RUNNING);
    }

    @Test
    void put_olderTicket_isIgnored() {
        cache.load(List.of(), cache.ticket());
        long early = cache.ticket();
        assertThat(cache.put(ENDED, cache.ticket())).contains(POD);

        assertThat(cache.put(RUNNING, early)).isEmpty();

        assertThat(cache.cachedPod("uid-p").of("c")).containsExactly(ENDED);
    }

    @Test
    void put_ticketBeforeRemoval_isIgnored() {
        cache.load(List.of(ENDED), cache.ticket());
        long early = cache.ticket();
        assertThat(cache.removed(ENDED.id())).contains(POD);

        assertThat(cache.put(ENDED, early)).isEmpty();

        assertThat(cache.pods()).isEmpty();
    }

    @Test
    void load_olderTicket_keepsNewerContainers() {
        cache.load(List.of(ENDED), cache.ticket());
        long listed = cache.ticket();
        cache.put(ContainerFactsFixture.container("c", 1, State.CREATED, ContainerFactsFixture.START), cache.ticket());

        assertThat(cache.load(List.of(), listed)).containsExactly(POD);

        assertThat(cache.cachedPod("uid-p").of("c"))
                .extracting(each -> each.identity().attempt())
                .containsExactly(1);
    }

    @Test
    void put_containerOfSameName_replacesOlderOne() {
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
        cache.load(List.of(RUNNING), cache.ticket());
        long early = cache.ticket();

        assertThat(cache.put(other, cache.ticket())).contains(POD);
        assertThat(cache.put(RUNNING, early)).isEmpty();

        assertThat(cache.cachedPod("uid-p").of("c")).containsExactly(other);
    }

    @Test
    void put_unchangedFacts_requeuesNoPod() {
        cache.load(List.of(RUNNING), cache.ticket());

        assertThat(cache.put(RUNNING, cache.ticket())).isEmpty();
        assertThat(cache.load(List.of(RUNNING), cache.ticket())).isEmpty();
    }

    @Test
    void beginAction_slotInUse_returnsFalse() {
        assertThat(cache.beginAction("uid-p", POD, "x", new ActionInProgress(Optional.empty())))
                .isTrue();
        assertThat(cache.beginAction("uid-p", POD, "x", new ActionInProgress(Optional.empty())))
                .isFalse();
        assertThat(cache.beginAction("uid-p", POD, "y", new ActionInProgress(Optional.empty())))
                .isTrue();
    }

    @Test
    void uidsOf_lastContainerRemoved_isEmpty() {
        cache.load(List.of(RUNNING), cache.ticket());
        assertThat(cache.uidsOf(POD)).containsExactly("uid-p");

        cache.removed(RUNNING.id());

        assertThat(cache.uidsOf(POD)).isEmpty();
    }

    @Test
    void find_returnsNewestAttemptFirst() {
        cache.load(
                List.of(ENDED, ContainerFactsFixture.container("c", 1, State.RUNNING, ContainerFactsFixture.START)),
                cache.ticket());

        assertThat(cache.find("uid-p", "c", 0).orElseThrow().state()).isEqualTo(State.RUNNING);
        assertThat(cache.find("uid-p", "c", 1)).contains(ENDED);
        assertThat(cache.find("uid-p", "c", 2)).isEmpty();
        assertThat(cache.find("uid-p", "d", 0)).isEmpty();
    }
}
