package dev.mooring.sim.bug;

import dev.mooring.model.Change;
import dev.mooring.world.Proposal;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What {@link Advices} and {@link Body#calls} do in the program's place. Public, since it is called from where it was planted. */
public final class Wrongs {
    private Wrongs() {}

    static Method named(String name) {
        return Arrays.stream(Wrongs.class.getMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** A proposal is taken to expect nothing. */
    public static List<Proposal.Expectation> expectsNothing(Proposal proposal) {
        return List.of();
    }

    /** A proposal that was decided upon nothing in particular. */
    public static Optional<Proposal> regardless(Optional<Proposal> proposal) {
        return proposal.map(each -> new Proposal(each.type(), each.actor(), each.cause(), each.writes(), List.of()));
    }

    /** Of two times, the one that the machine believes in. */
    public static long machineTime(long before, long now) {
        return now;
    }

    /** What was told, but for what is gone. */
    public static List<Object> withoutRemovals(List<?> followed) {
        List<Object> left = new ArrayList<>();
        for (Object each : followed) {
            if (!((Change) call(each, "change")).isRemoval()) {
                left.add(each);
            }
        }
        return left;
    }

    /** Damage is taken for what a crash leaves. */
    public static Object harmless(Object verdict) {
        return verdict.toString().equals("DAMAGED") ? verdict.getClass().getEnumConstants()[1] : verdict;
    }

    /** As if it were unmounted. */
    public static Object gone() {
        try {
            Constructor<?> made =
                    Class.forName("dev.mooring.node.reconcile.Ended$Gone").getDeclaredConstructor();
            made.setAccessible(true);
            return made.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Calls a method of somebody who would not let us. */
    public static Object call(Object whose, String name, Object... arguments) {
        for (Method each : whose.getClass().getDeclaredMethods()) {
            if (each.getName().equals(name) && each.getParameterCount() == arguments.length) {
                try {
                    each.setAccessible(true);
                    return each.invoke(whose, arguments);
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        throw new IllegalStateException("Expected " + whose.getClass() + " to have a method " + name);
    }

    /** What is in a field of somebody who would not tell. */
    public static Object field(Object whose, String name) {
        try {
            Field field = whose.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(whose);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
