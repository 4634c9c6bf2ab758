package dev.mooring.volume.nfs;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Valid values of a mount option. Immutable. */
sealed interface OptionRule {
    /** Returns what is wrong with the value, as a text that follows the option's name; empty if it is valid. */
    Optional<String> validationError(Optional<String> value);

    /** An option without a value. */
    record Flag() implements OptionRule {
        @Override
        public Optional<String> validationError(Optional<String> value) {
            return value.map(found -> "takes no value, but has \"" + found + '"');
        }
    }

    /** An integer within bounds. */
    record WholeNumber(long least, long most) implements OptionRule {
        private static final int MAX_DIGITS = 10;

        @Override
        public Optional<String> validationError(Optional<String> value) {
            String text = value.orElse("");
            boolean isNumber = !text.isEmpty()
                    && text.length() <= MAX_DIGITS
                    && text.chars().allMatch(each -> each >= '0' && each <= '9');
            if (isNumber && Long.parseLong(text) >= least && Long.parseLong(text) <= most) {
                return Optional.empty();
            }
            return Optional.of("takes a number from " + least + " to " + most + describeActual(value));
        }
    }

    /** One of several values. */
    record OneOf(List<String> values) implements OptionRule {
        @Override
        public Optional<String> validationError(Optional<String> value) {
            return value.filter(values::contains).isPresent()
                    ? Optional.empty()
                    : Optional.of("takes one of " + String.join(", ", values) + describeActual(value));
        }
    }

    /** One or more of several values, separated by colons. */
    record SomeOf(List<String> values) implements OptionRule {
        @Override
        public Optional<String> validationError(Optional<String> value) {
            return value.filter(text -> values.containsAll(List.of(text.split(":", -1))))
                            .isPresent()
                    ? Optional.empty()
                    : Optional.of("takes one or, with colons between them, several of " + String.join(", ", values)
                            + describeActual(value));
        }
    }

    /** A value that matches a pattern. */
    record PatternRule(String description, Pattern pattern, Presence presence) implements OptionRule {
        /** Whether the value is optional. */
        enum Presence {
            NEEDED,
            OPTIONAL
        }

        @Override
        public Optional<String> validationError(Optional<String> value) {
            boolean right = value.map(text -> pattern.matcher(text).matches()).orElse(presence == Presence.OPTIONAL);
            return right ? Optional.empty() : Optional.of("takes " + description + describeActual(value));
        }
    }

    /** An option that is not allowed, with the reason. */
    record ForbiddenOption(String reason) implements OptionRule {
        @Override
        public Optional<String> validationError(Optional<String> value) {
            return Optional.of(reason);
        }
    }

    private static String describeActual(Optional<String> value) {
        return value.map(found -> ", but has \"" + found + '"').orElse(", but has no value");
    }
}
