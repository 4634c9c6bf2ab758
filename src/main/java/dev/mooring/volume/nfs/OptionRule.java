package dev.mooring.volume.nfs;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Which values a mount option takes. Immutable. */
sealed interface OptionRule {
    /** What is wrong with the value, in words that follow the option's name; nothing if it is right. */
    Optional<String> refusal(Optional<String> value);

    /** Stands alone. */
    record Flag() implements OptionRule {
        @Override
        public Optional<String> refusal(Optional<String> value) {
            return value.map(found -> "takes no value, but has \"" + found + '"');
        }
    }

    /** A whole number within bounds. */
    record WholeNumber(long least, long most) implements OptionRule {
        private static final int MAX_DIGITS = 10;

        @Override
        public Optional<String> refusal(Optional<String> value) {
            String text = value.orElse("");
            boolean isNumber = !text.isEmpty()
                    && text.length() <= MAX_DIGITS
                    && text.chars().allMatch(each -> each >= '0' && each <= '9');
            if (isNumber && Long.parseLong(text) >= least && Long.parseLong(text) <= most) {
                return Optional.empty();
            }
            return Optional.of("takes a number from " + least + " to " + most + but(value));
        }
    }

    /** One of some words. */
    record OneOf(List<String> words) implements OptionRule {
        @Override
        public Optional<String> refusal(Optional<String> value) {
            return value.filter(words::contains).isPresent()
                    ? Optional.empty()
                    : Optional.of("takes one of " + String.join(", ", words) + but(value));
        }
    }

    /** Some of some words, with colons between them. */
    record SomeOf(List<String> words) implements OptionRule {
        @Override
        public Optional<String> refusal(Optional<String> value) {
            return value.filter(text -> words.containsAll(List.of(text.split(":", -1))))
                            .isPresent()
                    ? Optional.empty()
                    : Optional.of("takes one or, with colons between them, several of " + String.join(", ", words)
                            + but(value));
        }
    }

    /** Anything of a form. */
    record Form(String words, Pattern pattern, Presence presence) implements OptionRule {
        /** Whether it can stand alone too. */
        enum Presence {
            NEEDED,
            OPTIONAL
        }

        @Override
        public Optional<String> refusal(Optional<String> value) {
            boolean right = value.map(text -> pattern.matcher(text).matches()).orElse(presence == Presence.OPTIONAL);
            return right ? Optional.empty() : Optional.of("takes " + words + but(value));
        }
    }

    /** One that must not be used, and why. */
    record Refused(String why) implements OptionRule {
        @Override
        public Optional<String> refusal(Optional<String> value) {
            return Optional.of(why);
        }
    }

    private static String but(Optional<String> value) {
        return value.map(found -> ", but has \"" + found + '"').orElse(", but has no value");
    }
}
