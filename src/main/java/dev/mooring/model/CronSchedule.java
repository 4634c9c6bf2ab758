package dev.mooring.model;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A cron schedule as in CronJobs: five fields (minute, hour, day of month, month, day of week) with names, lists, ranges
 * and steps, or a descriptor such as {@code @hourly} or {@code @every 90m}. Immutable; pure.
 *
 * <p>If both days are restricted, either may match. A time that the time zone skips does not occur; a time that it
 * repeats occurs once.
 */
public final class CronSchedule {
    private static final Map<String, String> DESCRIPTORS = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");
    private static final String EVERY = "@every ";
    private static final Pattern DURATION = Pattern.compile("(?:(\\d{1,9})h)?(?:(\\d{1,9})m)?(?:(\\d{1,9})s)?");
    private static final List<String> MONTHS =
            List.of("", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
    private static final List<String> DAYS = List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");

    /** Years after which a schedule such as February 30 is given up. */
    private static final int MAX_YEARS = 5;

    /** Times that are counted one by one. */
    private static final int MAX_COUNTED = 100;

    /** Windows before a time that are searched for the last time of a schedule, each with few times in the next one. */
    private static final List<Duration> WINDOWS = List.of(
            Duration.ofMinutes(2),
            Duration.ofHours(2),
            Duration.ofDays(2),
            Duration.ofDays(63),
            Duration.ofDays(366L * MAX_YEARS));

    /** Thrown for a text that is not a schedule. */
    public static final class MalformedScheduleException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        private MalformedScheduleException(String message) {
            super(message);
        }
    }

    /**
     * Times that have passed.
     *
     * @param last the newest of them
     * @param tooMany whether there are more than 100
     */
    public record MissedTimes(Instant last, boolean tooMany) {}

    /** The values of a field; {@code any} if it is a star without a step. */
    private record CronField(BitSet values, boolean any) {
        boolean has(int value) {
            return values.get(value);
        }
    }

    private final List<CronField> fields;
    private final Optional<Duration> every;

    private CronSchedule(List<CronField> fields, Optional<Duration> every) {
        this.fields = fields;
        this.every = every;
    }

    /** @throws MalformedScheduleException with a message like that of Kubernetes */
    public static CronSchedule parse(String text) {
        if (text.startsWith("@")) {
            String fields = DESCRIPTORS.get(text);
            if (fields != null) {
                return parse(fields);
            }
            if (text.startsWith(EVERY)) {
                return new CronSchedule(List.of(), Optional.of(duration(text.substring(EVERY.length()), text)));
            }
            throw new MalformedScheduleException("unrecognized descriptor: " + text);
        }
        String[] parts = text.isBlank() ? new String[0] : text.trim().split("\\s+", -1);
        if (parts.length != 5) {
            throw new MalformedScheduleException(
                    "expected exactly 5 fields, found " + parts.length + ": [" + String.join(" ", parts) + ']');
        }
        return new CronSchedule(
                List.of(
                        field(parts[0], 0, 59, List.of()),
                        field(parts[1], 0, 23, List.of()),
                        field(parts[2], 1, 31, List.of()),
                        field(parts[3], 1, 12, MONTHS),
                        field(parts[4], 0, 6, DAYS)),
                Optional.empty());
    }

    private static Duration duration(String text, String whole) {
        Matcher match = DURATION.matcher(text);
        if (text.isEmpty() || !match.matches()) {
            throw new MalformedScheduleException("failed to parse duration " + whole);
        }
        long seconds = 0;
        int[] units = {3600, 60, 1};
        for (int i = 0; i < units.length; i++) {
            seconds += match.group(i + 1) == null ? 0 : Long.parseLong(match.group(i + 1)) * units[i];
        }
        return Duration.ofSeconds(Math.max(1, seconds));
    }

    private static CronField field(String text, int min, int max, List<String> names) {
        BitSet values = new BitSet();
        boolean any = false;
        for (String part : text.split(",", -1)) {
            any |= range(part, min, max, names, values);
        }
        return new CronField(values, any);
    }

    /** Adds the values of {@code number}, {@code number-number} or {@code *}, with an optional step. */
    private static boolean range(String part, int min, int max, List<String> names, BitSet values) {
        String[] withStep = part.split("/", -1);
        String[] ends = withStep[0].split("-", -1);
        boolean star = ends[0].equals("*") || ends[0].equals("?");
        if (withStep.length > 2) {
            throw new MalformedScheduleException("too many slashes: " + part);
        }
        if (ends.length > 2) {
            throw new MalformedScheduleException("too many hyphens: " + part);
        }
        int from = star ? min : number(ends[0], names);
        int to = star ? max : ends.length == 2 ? number(ends[1], names) : withStep.length == 2 ? max : from;
        int step = withStep.length == 2 ? number(withStep[1], List.of()) : 1;
        if (from < min) {
            throw new MalformedScheduleException(
                    "beginning of range (" + from + ") below minimum (" + min + "): " + part);
        }
        if (to > max) {
            throw new MalformedScheduleException("end of range (" + to + ") above maximum (" + max + "): " + part);
        }
        if (from > to) {
            throw new MalformedScheduleException(
                    "beginning of range (" + from + ") beyond end of range (" + to + "): " + part);
        }
        if (step == 0) {
            throw new MalformedScheduleException("step of range should be a positive number: " + part);
        }
        for (int value = from; value <= to; value += step) {
            values.set(value);
        }
        return star && step == 1;
    }

    private static int number(String text, List<String> names) {
        int named = text.isEmpty() ? -1 : names.indexOf(text.toLowerCase(Locale.ROOT));
        if (named >= 0) {
            return named;
        }
        if (text.isEmpty() || text.length() > 4 || !text.chars().allMatch(each -> each >= '0' && each <= '9')) {
            throw new MalformedScheduleException("failed to parse int from " + text);
        }
        return Integer.parseInt(text);
    }

    /** Returns the first time after a time; empty if there is none within five years. */
    public Optional<Instant> next(Instant after, ZoneId zone) {
        if (every.isPresent()) {
            return Optional.of(after.truncatedTo(ChronoUnit.SECONDS).plus(every.get()));
        }
        LocalDateTime time = LocalDateTime.ofInstant(after, zone)
                .truncatedTo(ChronoUnit.MINUTES)
                .plusMinutes(1);
        LocalDateTime end = time.plusYears(MAX_YEARS);
        while (time.isBefore(end)) {
            LocalDateTime match = firstMatch(time);
            if (!match.equals(time)) {
                time = match;
                continue;
            }
            ZonedDateTime zoned = ZonedDateTime.of(time, zone);
            if (zoned.toLocalDateTime().equals(time) && zoned.toInstant().isAfter(after)) {
                return Optional.of(zoned.toInstant());
            }
            time = time.plusMinutes(1);
        }
        return Optional.empty();
    }

    /** Returns the time if it matches, else a later time before which none matches. */
    private LocalDateTime firstMatch(LocalDateTime time) {
        if (!fields.get(3).has(time.getMonthValue())) {
            return time.withDayOfMonth(1).truncatedTo(ChronoUnit.DAYS).plusMonths(1);
        }
        if (!matchesDay(time)) {
            return time.truncatedTo(ChronoUnit.DAYS).plusDays(1);
        }
        if (!fields.get(1).has(time.getHour())) {
            return time.truncatedTo(ChronoUnit.HOURS).plusHours(1);
        }
        return fields.get(0).has(time.getMinute()) ? time : time.plusMinutes(1);
    }

    private boolean matchesDay(LocalDateTime time) {
        boolean ofMonth = fields.get(2).has(time.getDayOfMonth());
        boolean ofWeek = fields.get(4).has(time.getDayOfWeek().getValue() % 7);
        return (fields.get(2).any() || fields.get(4).any()) ? (ofMonth && ofWeek) : (ofMonth || ofWeek);
    }

    /** Returns the times after {@code earliest} up to {@code now}; empty if there are none. The cost is bounded. */
    public Optional<MissedTimes> missed(Instant earliest, Instant now, ZoneId zone) {
        Optional<Instant> last = Optional.empty();
        Optional<Instant> time = next(earliest, zone);
        for (int i = 0; time.isPresent() && !time.get().isAfter(now); i++) {
            if (i == MAX_COUNTED) {
                return Optional.of(new MissedTimes(last(time.get(), now, zone), true));
            }
            last = time;
            time = next(time.get(), zone);
        }
        return last.map(each -> new MissedTimes(each, false));
    }

    private Instant last(Instant known, Instant now, ZoneId zone) {
        if (every.isPresent()) {
            long periods = Duration.between(known, now).dividedBy(every.get());
            return known.plus(every.get().multipliedBy(periods));
        }
        for (Duration window : WINDOWS) {
            Instant last = known;
            Optional<Instant> time = next(now.minus(window), zone);
            while (time.isPresent() && !time.get().isAfter(now)) {
                last = time.get();
                time = next(last, zone);
            }
            if (last.isAfter(known)) {
                return last;
            }
        }
        return known;
    }
}
