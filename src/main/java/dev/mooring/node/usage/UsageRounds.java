package dev.mooring.node.usage;

import dev.mooring.model.ObjectKey;
import dev.mooring.node.work.WorkParts;
import dev.mooring.volume.Lane;
import dev.mooring.volume.usage.Measured;
import dev.mooring.volume.usage.Measured.Belonging;
import dev.mooring.volume.usage.UsageException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures volumes when asked to, each not too often, and writes into the {@link UsageBook} what it finds. Local volumes one after another, those
 * of a server one after another, and what may hang never where local ones wait. Thread-safe; asking never blocks.
 */
public final class UsageRounds {
    /** A little less than the time between two looks, so that each look counts. */
    static final Duration FRESH = Duration.ofSeconds(55);

    static final Duration FILES_FRESH = Duration.ofMinutes(10);

    private static final Logger LOG = LoggerFactory.getLogger(UsageRounds.class);

    /** For what is neither surely local nor a volume of a server. */
    private static final Lane UNCLEAR = new Lane("unclear", "");

    private final UsageBook book;
    private final Meter meter;
    private final Predicate<String> answers;
    private final WorkParts parts;
    private final UsageTeller teller;
    private final LaneRunner lanes;
    private final DirectorySums sums;

    /** Measures. As a port, so that a test can play the machine. */
    public interface Meter {
        /** Without waiting for anybody; nothing if that is not possible. */
        Optional<Measured> atOnce(Path path) throws UsageException;

        Measured patiently(Path path) throws UsageException, InterruptedException;

        /** Of an NFS server. */
        Measured export(Path path) throws UsageException, InterruptedException;

        /** What all files below take up. */
        long sum(Path directory) throws UsageException, InterruptedException;
    }

    /** @param answers whether an NFS server is known to answer */
    public UsageRounds(String node, UsageBook book, Meter meter, Predicate<String> answers, WorkParts parts) {
        this.book = book;
        this.meter = meter;
        this.answers = answers;
        this.parts = parts;
        this.teller = new UsageTeller(node, parts.world(), parts.clock());
        this.lanes = new LaneRunner(parts.threads());
        this.sums = new DirectorySums(parts, lanes, meter::sum, new DirectorySums.Found() {
            @Override
            public void sum(ObjectKey claim, long bytes) {
                learn(claim, usage -> usage.withFiles(usage.files().answered(bytes, now())));
            }

            @Override
            public void nothing(ObjectKey claim) {
                learn(claim, usage -> usage.withFiles(usage.files().failed(now())));
            }
        });
    }

    UsageBook book() {
        return book;
    }

    /** Has a volume that is in the book measured, unless it was just now. */
    void request(Subject subject) {
        Optional<Usage> known = book.get(subject.claim());
        if (known.isEmpty() || known.get().space().isFresh(FRESH, now())) {
            return;
        }
        switch (subject.kind()) {
            case FILES -> lanes.offer(Lane.LOCAL, subject.claim(), () -> measureAtOnce(subject));
            case EXPORT -> {
                if (answers.test(subject.server())) {
                    lanes.offer(
                            Lane.nfs(subject.server()),
                            subject.claim(),
                            () -> measure(subject, () -> meter.export(subject.path())));
                } else {
                    failed(subject.claim());
                }
            }
            case DEVICE -> {
                // Only whoever writes to it knows what on it is in use.
            }
        }
    }

    /** It is known that it cannot be measured now. */
    void failed(ObjectKey claim) {
        learn(claim, usage -> usage.withSpace(usage.space().failed(now())));
    }

    private interface Measuring {
        Measured run() throws UsageException, InterruptedException;
    }

    private void measureAtOnce(Subject subject) throws InterruptedException {
        Optional<Measured> found;
        try {
            found = meter.atOnce(subject.path());
        } catch (UsageException e) {
            failed(subject, e);
            return;
        }
        if (found.isPresent()) {
            measured(subject, found.get());
        } else {
            lanes.offer(UNCLEAR, subject.path(), () -> measure(subject, () -> meter.patiently(subject.path())));
        }
    }

    private void measure(Subject subject, Measuring measuring) throws InterruptedException {
        try {
            measured(subject, measuring.run());
        } catch (UsageException e) {
            failed(subject, e);
        }
    }

    private void failed(Subject subject, UsageException cause) {
        LOG.atDebug()
                .addKeyValue("object", subject.claim())
                .log("Expected to measure {}, but {}", subject.path(), cause.getMessage());
        failed(subject.claim());
    }

    private void measured(Subject subject, Measured found) {
        learn(subject.claim(), usage -> usage.withSpace(usage.space().answered(found, now())));
        boolean due = found.belonging() == Belonging.SHARED
                && book.get(subject.claim())
                        .filter(usage -> !usage.files().isFresh(FILES_FRESH, now()))
                        .isPresent();
        if (due) {
            sums.request(subject.claim(), subject.path());
        }
    }

    private void learn(ObjectKey claim, UnaryOperator<Usage> change) {
        book.learn(claim, change).ifPresent(teller::tell);
    }

    private Instant now() {
        return parts.clock().instant();
    }
}
