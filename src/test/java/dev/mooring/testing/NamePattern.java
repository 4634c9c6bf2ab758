package dev.mooring.testing;

import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;

/**
 * Pattern for a part of a test's {@code package.Class.method}, with {@code *} as wildcard: {@code Ledger}, {@code
 * log.*crash}, {@code WorldTest.shouldReplay}. {@code #} may replace the dot before the method.
 */
final class NamePattern {

    private final Pattern pattern;

    NamePattern(String text) {
        String[] parts = text.replace('#', '.').split("\\*", -1);
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < parts.length; i++) {
            regex.append(i == 0 ? "" : ".*").append(Pattern.quote(parts[i]));
        }
        this.pattern = Pattern.compile(regex.toString());
    }

    boolean matches(TestDescriptor descriptor) {
        return nameOf(descriptor).map(name -> pattern.matcher(name).find()).orElse(false);
    }

    private static Optional<String> nameOf(TestDescriptor descriptor) {
        Optional<String> own = descriptor.getSource().flatMap(NamePattern::nameOf);
        // An ArchUnit rule has the field as its source; its class is the parent's.
        return own.isPresent()
                ? own
                : descriptor.getParent().flatMap(NamePattern::nameOf).map(p -> p + "." + descriptor.getDisplayName());
    }

    private static Optional<String> nameOf(TestSource source) {
        if (source instanceof MethodSource method) {
            return Optional.of(dotted(method.getClassName()) + "." + method.getMethodName());
        }
        if (source instanceof ClassSource type) {
            return Optional.of(dotted(type.getClassName()));
        }
        return Optional.empty();
    }

    private static String dotted(String className) {
        return className.replace('$', '.');
    }
}
