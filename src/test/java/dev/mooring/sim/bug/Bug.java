package dev.mooring.sim.bug;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.Arrays;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ClassReloadingStrategy;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * A mistake somebody could make, as another body of one method of the program.
 *
 * @param story what is wrong
 * @param victim a class, from {@code dev.mooring} on
 * @param method its name; with {@code /2} behind it, only the one with two parameters
 * @param within the simulation finds it in so many lives
 */
record Bug(String name, String story, String victim, String method, int within, Body body) {
    /** To be closed when it is to go again. */
    interface Planted extends AutoCloseable {
        @Override
        void close();
    }

    /** Plants it, in this JVM. */
    Planted plant() {
        ByteBuddyAgent.install();
        Class<?> type = type();
        if (Arrays.stream(type.getDeclaredMethods()).noneMatch(this::isIt)) {
            throw new IllegalStateException("Expected " + victim + " to have a method " + method + " for the bug "
                    + name + ", but it has none");
        }
        ClassReloadingStrategy strategy = ClassReloadingStrategy.fromInstalledAgent();
        DynamicType.Builder<?> changed = body.in(new ByteBuddy().redefine(type), matcher());
        try (DynamicType.Unloaded<?> made = changed.make()) {
            made.load(type.getClassLoader(), strategy);
        }
        return () -> restore(type, strategy);
    }

    private Class<?> type() {
        try {
            return Class.forName("dev.mooring." + victim);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("Expected a class " + victim + " for the bug " + name, e);
        }
    }

    private String methodName() {
        return method.split("/", -1)[0];
    }

    private boolean isIt(Method each) {
        int slash = method.indexOf('/');
        return each.getName().equals(methodName())
                && (slash < 0 || each.getParameterCount() == Integer.parseInt(method.substring(slash + 1)));
    }

    private ElementMatcher.Junction<MethodDescription> matcher() {
        ElementMatcher.Junction<MethodDescription> named = ElementMatchers.named(methodName());
        int slash = method.indexOf('/');
        return slash < 0
                ? named
                : named.and(ElementMatchers.takesArguments(Integer.parseInt(method.substring(slash + 1))));
    }

    private static void restore(Class<?> type, ClassReloadingStrategy strategy) {
        try {
            strategy.reset(ClassFileLocator.ForClassLoader.of(type.getClassLoader()), type);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
