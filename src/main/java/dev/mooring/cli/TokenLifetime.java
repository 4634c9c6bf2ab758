package dev.mooring.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How long a token is to last: minutes, hours or days. */
record TokenLifetime(Duration length) {
    private static final Pattern FORM = Pattern.compile("([1-9]\\d{0,5})([mhd])");

    static Optional<TokenLifetime> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        long amount = Long.parseLong(form.group(1));
        return Optional.of(new TokenLifetime(
                switch (form.group(2)) {
                    case "m" -> Duration.ofMinutes(amount);
                    case "h" -> Duration.ofHours(amount);
                    default -> Duration.ofDays(amount);
                }));
    }

    /** In whole seconds, as Kubernetes writes times. */
    String endFrom(Instant now) {
        return now.plus(length).truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
