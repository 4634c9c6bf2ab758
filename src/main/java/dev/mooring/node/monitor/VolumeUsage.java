package dev.mooring.node.monitor;

import dev.mooring.volume.work.MeasuredSpace;
import dev.mooring.volume.work.MeasuredSpace.FileSystemSharing;
import java.time.Instant;
import java.util.Optional;

/**
 * The known usage of a claim's volume. Immutable.
 *
 * @param space statistics of its file system
 * @param files total size of its files, if it shares the file system
 * @param level the level of the last Event
 */
record VolumeUsage(
        UsageTarget target,
        VolumeCondition condition,
        CachedMeasurement<MeasuredSpace> space,
        CachedMeasurement<Long> files,
        UsageLevel level) {
    /** The condition of the volume. */
    enum VolumeCondition {
        NORMAL,
        ABNORMAL,
        /** Not mounted. The last values stay valid, however old they are: no Pod on this node changes the volume. */
        UNMOUNTED
    }

    /**
     * The used part of a volume's usable space.
     *
     * @param of at 100 percent nothing more can be written or, without an enforced size, the request is exceeded
     * @param measured when {@code used} was measured
     */
    record Fullness(long used, long of, FileSystemSharing belonging, Instant measured) {
        double percent() {
            return of <= 0 ? 0 : 100.0 * used / of;
        }
    }

    static VolumeUsage of(UsageTarget subject, VolumeCondition condition) {
        return new VolumeUsage(
                subject, condition, CachedMeasurement.empty(), CachedMeasurement.empty(), UsageLevel.NORMAL);
    }

    /** Returns the usage of the same claim with another mount or size; drops measurements of another volume. */
    VolumeUsage as(UsageTarget other, VolumeCondition now) {
        return other.volume().equals(target.volume())
                ? new VolumeUsage(other, now, space, files, level)
                : VolumeUsage.of(other, now);
    }

    private <T> Optional<T> current(CachedMeasurement<T> known, Instant now) {
        return condition == VolumeCondition.UNMOUNTED ? known.value() : known.valueAt(now);
    }

    VolumeUsage withSpace(CachedMeasurement<MeasuredSpace> now) {
        return new VolumeUsage(target, condition, now, files, level);
    }

    VolumeUsage withFiles(CachedMeasurement<Long> now) {
        return new VolumeUsage(target, condition, space, now, level);
    }

    VolumeUsage at(UsageLevel now) {
        return new VolumeUsage(target, condition, space, files, now);
    }

    /** Returns the bytes used by this volume alone, if known. */
    Optional<Long> used(Instant now) {
        return current(space, now)
                .flatMap(each -> each.sharing() == FileSystemSharing.OWN
                        ? Optional.of(each.stats().used())
                        : current(files, now));
    }

    /** Returns the fullness, or empty if it is unknown. */
    Optional<Fullness> fullness(Instant now) {
        Optional<MeasuredSpace> measured = current(space, now);
        Optional<Long> used = used(now);
        if (measured.isEmpty() || used.isEmpty()) {
            return Optional.empty();
        }
        FileSystemSharing belonging = measured.get().sharing();
        // Excludes blocks reserved for root: processes in the volume cannot use them.
        long of = belonging == FileSystemSharing.OWN
                ? used.get() + measured.get().stats().available()
                : target.requestedBytes();
        Instant at = belonging == FileSystemSharing.OWN ? space.succeeded() : files.succeeded();
        return of <= 0 ? Optional.empty() : Optional.of(new Fullness(used.get(), of, belonging, at));
    }
}
