package dev.mooring.sim.fault;

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
 * A fault that is injected by replacing the body of one method of the program.
 *
 * @param description what is wrong
 * @param className class name below {@code dev.mooring}
 * @param method its name; with a suffix {@code /2}, only the overload with two parameters
 * @param firstRun number of the first simulation run; later for a rare situation, which only some runs reach
 * @param maxRuns number of simulation runs within which it must be detected
 */
public record InjectedFault(
        String name,
        String description,
        String className,
        String method,
        int firstRun,
        int maxRuns,
        MethodMutation mutation) {
    InjectedFault(
            String name, String description, String className, String method, int maxRuns, MethodMutation mutation) {
        this(name, description, className, method, 1, maxRuns, mutation);
    }

    /** An injected fault; close to restore the original code. */
    public interface InjectedMutation extends AutoCloseable {
        @Override
        void close();
    }

    /** Returns the same fault with another limit. */
    InjectedFault within(int runs) {
        return new InjectedFault(name, description, className, method, firstRun, runs, mutation);
    }

    /** Returns the same fault with another first run. */
    InjectedFault from(int run) {
        return new InjectedFault(name, description, className, method, run, maxRuns, mutation);
    }

    /** Injects the fault into this JVM. */
    public InjectedMutation inject() {
        ByteBuddyAgent.install();
        Class<?> type = type();
        if (Arrays.stream(type.getDeclaredMethods()).noneMatch(this::matches)) {
            throw new IllegalStateException(
                    className + " has no method " + method + ", needed for the injected fault \"" + name + "\"");
        }
        ClassReloadingStrategy strategy = ClassReloadingStrategy.fromInstalledAgent();
        DynamicType.Builder<?> changed = mutation.apply(new ByteBuddy().redefine(type), matcher());
        try (DynamicType.Unloaded<?> mutated = changed.make()) {
            mutated.load(type.getClassLoader(), strategy);
        }
        return () -> restore(type, strategy);
    }

    private Class<?> type() {
        try {
            return Class.forName("dev.mooring." + className);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(
                    "There is no class " + className + ", needed for the injected fault \"" + name + "\"", e);
        }
    }

    private String methodName() {
        return method.split("/", -1)[0];
    }

    private boolean matches(Method each) {
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
