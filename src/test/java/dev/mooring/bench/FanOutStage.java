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

/** What the measurements of fan-out share: a ledger with something to write, and watchers of it. */
final class FanOutStage {
    static final int WATCHERS = 1000;

    private static final int JSON_BYTES = 400;

    private final RunningLedger ledger;
    private final Draft[] drafts = new Draft[1024];

    FanOutStage(RunningLedger ledger) {
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

    /** Returns when all are committed. */
    void commitAtOnce(int count) {
        CompletableFuture<?>[] answers = new CompletableFuture<?>[count];
        for (int i = 0; i < count; i++) {
            answers[i] = commit(i).toCompletableFuture();
        }
        CompletableFuture.allOf(answers).join();
    }

    /** Lets an audience watch what is written here, from now on. */
    AutoCloseable admit(Audience audience) {
        return subscribe(audience, Scope.resource(SampleObjects.RESOURCE));
    }

    /** Lets an audience watch something else. */
    AutoCloseable admitToOther(Audience audience) {
        return subscribe(audience, Scope.resource("storageclasses.storage.k8s.io"));
    }

    private AutoCloseable subscribe(Audience audience, Scope scope) {
        CompositeDisposable all = new CompositeDisposable();
        for (int i = 0; i < audience.size(); i++) {
            int watcher = i;
            all.add(ledger.hub()
                    .events(newest(), scope, Schedulers.computation())
                    .subscribe(event -> audience.hear(watcher, event), audience::fail));
        }
        return all::dispose;
    }

    /** The events after a revision, once more, as the hub would hand them out. */
    List<WorldEvent> again(long after, int count) {
        return ledger.hub()
                .events(after, Scope.all(), Schedulers.computation())
                .take(count)
                .toList()
                .blockingGet();
    }
}
