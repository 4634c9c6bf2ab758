package dev.mooring.node.usage;

import dev.mooring.volume.usage.Measured;
import dev.mooring.volume.usage.Measured.Belonging;
import java.time.Instant;
import java.util.Optional;

/**
 * What is known of how full a claim's volume is. Immutable.
 *
 * @param space of its file system
 * @param files what its files take up, if the file system is not its own
 * @param level that was last told of
 */
record Usage(Subject subject, Condition condition, Known<Measured> space, Known<Long> files, Level level) {
    /** Whether something is wrong with the volume although it is mounted. */
    enum Condition {
        NORMAL,
        ABNORMAL
    }

    /**
     * How much of what it may use a volume uses.
     *
     * @param of at 100 percent nothing more can be written, or, where nobody enforces the size, the promise is broken
     */
    record Fullness(long used, long of, Belonging belonging) {
        double percent() {
            return of <= 0 ? 0 : 100.0 * used / of;
        }
    }

    static Usage of(Subject subject, Condition condition) {
        return new Usage(subject, condition, Known.nothing(), Known.nothing(), Level.NORMAL);
    }

    /** The same claim, mounted elsewhere or grown. */
    Usage as(Subject other, Condition now) {
        return new Usage(other, now, space, files, level);
    }

    Usage withSpace(Known<Measured> now) {
        return new Usage(subject, condition, now, files, level);
    }

    Usage withFiles(Known<Long> now) {
        return new Usage(subject, condition, space, now, level);
    }

    Usage at(Level now) {
        return new Usage(subject, condition, space, files, now);
    }

    /** Bytes used by it alone, if that is known. */
    Optional<Long> used(Instant now) {
        return space.at(now)
                .flatMap(each -> each.belonging() == Belonging.OWN
                        ? Optional.of(each.space().used())
                        : files.at(now));
    }

    /** Nothing if it is not known. */
    Optional<Fullness> fullness(Instant now) {
        Optional<Measured> measured = space.at(now);
        Optional<Long> used = used(now);
        if (measured.isEmpty() || used.isEmpty()) {
            return Optional.empty();
        }
        Belonging belonging = measured.get().belonging();
        // What is kept for root does not count: it is out of reach for whoever fills the volume.
        long of =
                belonging == Belonging.OWN ? used.get() + measured.get().space().available() : subject.asked();
        return of <= 0 ? Optional.empty() : Optional.of(new Fullness(used.get(), of, belonging));
    }
}
