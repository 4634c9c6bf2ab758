package dev.mooring.bench;

import dev.mooring.model.Draft;
import dev.mooring.model.Scope;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.WorldEvent;
import io.reactivex.rxjava3.disposables.CompositeDisposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A ledger with objects to write, and watchers of it. */
final class FanOutFixture {
    static final int WATCHERS = 1000;

    private static final int JSON_BYTES = 400;

    private final RunningLedger ledger;
    private final Draft[] drafts = new Draft[1024];

    FanOutFixture(RunningLedger ledger) {
        this.ledger = ledger;
        Random random = new Random(3);
        for (int i = 0; i < drafts.length; i++) {
            drafts[i] = SampleObjects.draft(i, JSON_BYTES, random);
        }
    }

    long newest() {
        return ledger.hub().published();
    }

    CompletionStage<Outcome> commit(long number) {
        return ledger.commit(Proposal.by("bench", "ClaimChanged")
                .put(drafts[(int) (number % drafts.length)])
                .build());
    }

    /** Commits proposals at once; returns when all are committed. */
    void commitAtOnce(int count) {
        CompletableFuture<?>[] answers = new CompletableFuture<?>[count];
        for (int i = 0; i < count; i++) {
            answers[i] = commit(i).toCompletableFuture();
        }
        CompletableFuture.allOf(answers).join();
    }

    /** Subscribes watchers to the written objects, from now on. */
    AutoCloseable subscribe(WatcherGroup watchers) {
        return subscribe(watchers, Scope.resource(SampleObjects.RESOURCE));
    }

    /** Subscribes watchers to another resource. */
    AutoCloseable subscribeToOther(WatcherGroup watchers) {
        return subscribe(watchers, Scope.resource("storageclasses.storage.k8s.io"));
    }

    private AutoCloseable subscribe(WatcherGroup watchers, Scope scope) {
        CompositeDisposable all = new CompositeDisposable();
        for (int i = 0; i < watchers.size(); i++) {
            int watcher = i;
            all.add(ledger.hub()
                    .events(newest(), scope, Schedulers.computation())
                    .subscribe(event -> watchers.onEvent(watcher, event), watchers::fail));
        }
        return all::dispose;
    }

    /** Returns the events after a revision as the hub publishes them. */
    List<WorldEvent> replay(long after, int count) {
        return ledger.hub()
                .events(after, Scope.all(), Schedulers.computation())
                .take(count)
                .toList()
                .blockingGet();
    }
}
