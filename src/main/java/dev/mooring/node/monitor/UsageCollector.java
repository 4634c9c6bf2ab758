package dev.mooring.node.monitor;

import dev.mooring.control.Effect;
import dev.mooring.control.EffectExecutor;
import dev.mooring.model.ObjectKey;
import dev.mooring.node.KeyedExecutor;
import dev.mooring.node.monitor.UsageController.ForgetUsage;
import dev.mooring.node.monitor.UsageController.MarkUnmeasurable;
import dev.mooring.node.monitor.UsageController.MarkUnmounted;
import dev.mooring.node.monitor.UsageController.Measure;
import dev.mooring.node.monitor.UsageTarget.Kind;
import dev.mooring.node.monitor.VolumeUsage.VolumeCondition;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.volume.WorkerPoolKey;
import dev.mooring.volume.work.MeasuredSpace;
import dev.mooring.volume.work.MeasuredSpace.FileSystemSharing;
import dev.mooring.volume.work.UsageException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures volumes on request, with a minimum interval per volume, and stores results in the {@link UsageCache}.
 * Measures local volumes serially and the volumes of each server serially; measurements that may hang never delay local
 * ones. Thread-safe; requests never block.
 */
public final class UsageCollector implements EffectExecutor {
    /** Slightly less than the polling interval, so that each poll measures. */
    static final Duration FRESH = Duration.ofSeconds(55);

    private static final Logger LOG = LoggerFactory.getLogger(UsageCollector.class);

    /** The pool for volumes that are neither known to be local nor on a known server. */
    private static final WorkerPoolKey UNKNOWN_POOL = new WorkerPoolKey("unclear", "");

    private final UsageCache cache;
    private final Meter meter;
    private final Predicate<String> serverResponds;
    private final WorkContext context;
    private final UsageEventRecorder recorder;
    private final KeyedExecutor executor;
    private final DirectorySizer sizer;

    /** Measures volumes. A port, so that tests can replace the machine. */
    public interface Meter {
        /** Measures without blocking on remote file systems; empty if that is not possible. */
        Optional<MeasuredSpace> measureNow(Path path) throws UsageException;

        MeasuredSpace measureBlocking(Path path) throws UsageException, InterruptedException;

        /** Measures a mounted export of a server. */
        MeasuredSpace measureExport(Path path) throws UsageException, InterruptedException;

        /** Returns the total size of all files in a directory. */
        long directorySize(Path directory) throws UsageException, InterruptedException;
    }

    /**
     * Creates a collector.
     *
     * @param serverResponds whether a server is known to respond
     */
    public UsageCollector(
            String node, UsageCache cache, Meter meter, Predicate<String> serverResponds, WorkContext context) {
        this.cache = cache;
        this.meter = meter;
        this.serverResponds = serverResponds;
        this.context = context;
        this.recorder = new UsageEventRecorder(node, context.world(), context.clock());
        this.executor = new KeyedExecutor(1, context.threads());
        this.sizer = new DirectorySizer(context, executor, meter::directorySize, new DirectorySizer.SizeListener() {
            @Override
            public void onSize(ObjectKey claim, long bytes) {
                update(claim, usage -> usage.withFiles(usage.files().succeeded(bytes, now())));
            }

            @Override
            public void onFailure(ObjectKey claim) {
                update(claim, usage -> usage.withFiles(usage.files().failed(now())));
            }
        });
    }

    @Override
    public void execute(Effect effect) {
        if (effect instanceof Measure measure) {
            cache.track(measure.target(), measure.condition());
            request(measure.target());
        } else if (effect instanceof MarkUnmeasurable mark) {
            cache.track(mark.target(), VolumeCondition.ABNORMAL);
            failed(mark.target().claim());
        } else if (effect instanceof MarkUnmounted mark) {
            cache.unmounted(mark.claim(), mark.volume());
        } else if (effect instanceof ForgetUsage forget) {
            cache.remove(forget.claim());
        }
    }

    /** Measures a cached volume, unless its last measurement is fresh. */
    private void request(UsageTarget subject) {
        Optional<VolumeUsage> known = cache.get(subject.claim());
        if (known.isEmpty() || known.get().space().isFresh(FRESH, now())) {
            return;
        }
        switch (subject.kind()) {
            case FILES, DIRECTORY ->
                executor.submit(WorkerPoolKey.LOCAL, subject.claim(), () -> measureAtOnce(subject));
            case EXPORT -> {
                if (serverResponds.test(subject.server())) {
                    executor.submit(
                            WorkerPoolKey.server(subject.server()),
                            subject.claim(),
                            () -> measure(subject, () -> meter.measureExport(subject.path())));
                } else {
                    failed(subject.claim());
                }
            }
            case DEVICE -> {
                // Only the file system or application on the device knows its used space.
            }
        }
    }

    /** Marks a claim's volume as currently not measurable. */
    private void failed(ObjectKey claim) {
        update(claim, usage -> usage.withSpace(usage.space().failed(now())));
    }

    private interface Measuring {
        MeasuredSpace run() throws UsageException, InterruptedException;
    }

    private void measureAtOnce(UsageTarget subject) throws InterruptedException {
        Optional<MeasuredSpace> found;
        try {
            found = meter.measureNow(subject.path());
        } catch (UsageException e) {
            failed(subject, e);
            return;
        }
        if (found.isPresent()) {
            measured(subject, found.get());
        } else if (subject.kind() == Kind.FILES) {
            executor.submit(
                    UNKNOWN_POOL, subject.path(), () -> measure(subject, () -> meter.measureBlocking(subject.path())));
        }
    }

    private void measure(UsageTarget subject, Measuring measuring) throws InterruptedException {
        try {
            measured(subject, measuring.run());
        } catch (UsageException e) {
            failed(subject, e);
        }
    }

    private void failed(UsageTarget subject, UsageException cause) {
        LOG.atDebug()
                .addKeyValue("object", subject.claim())
                .log("Failed to measure {}: {}", subject.path(), cause.getMessage());
        failed(subject.claim());
    }

    private void measured(UsageTarget subject, MeasuredSpace found) {
        update(subject.claim(), usage -> usage.withSpace(usage.space().succeeded(found, now())));
        boolean due = found.sharing() == FileSystemSharing.SHARED
                && cache.get(subject.claim())
                        .filter(usage -> !usage.files().isFresh(UsageController.FILES_FRESH, now()))
                        .isPresent();
        if (due) {
            sizer.request(subject);
        }
    }

    private void update(ObjectKey claim, UnaryOperator<VolumeUsage> change) {
        cache.update(claim, change).ifPresent(recorder::record);
    }

    private Instant now() {
        return context.clock().instant();
    }
}
