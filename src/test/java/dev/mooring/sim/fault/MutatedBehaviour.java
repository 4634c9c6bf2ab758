package dev.mooring.sim.fault;

import dev.mooring.model.Change;
import dev.mooring.world.Proposal;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Replacement code for {@link MutationAdvices} and {@link MethodMutation#calls}. Public, because the mutated classes
 * call it.
 */
public final class MutatedBehaviour {
    private MutatedBehaviour() {}

    static Method named(String name) {
        return Arrays.stream(MutatedBehaviour.class.getMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Returns no expectations for any proposal. */
    public static List<Proposal.Expectation> expectsNothing(Proposal proposal) {
        return List.of();
    }

    /** Returns the machine's time, even if it went back. */
    public static long machineTime(long before, long now) {
        return now;
    }

    /** Returns the notifications without those of removals. */
    public static List<Object> withoutRemovals(List<?> notifications) {
        List<Object> kept = new ArrayList<>();
        for (Object each : notifications) {
            if (!((Change) call(each, "change")).isRemoval()) {
                kept.add(each);
            }
        }
        return kept;
    }

    /** Returns the result for a torn write instead of damage. */
    public static Object damageAsTornWrite(Object classification) {
        return classification.toString().equals("DAMAGED")
                ? classification.getClass().getEnumConstants()[1]
                : classification;
    }

    /** Returns the result of a successful unmount. */
    public static Object removed() {
        try {
            Constructor<?> made = Class.forName("dev.mooring.node.volumemanager.OperationResult$Removed")
                    .getDeclaredConstructor();
            made.setAccessible(true);
            return made.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Calls an inaccessible method. */
    public static Object call(Object target, String name, Object... arguments) {
        for (Method each : target.getClass().getDeclaredMethods()) {
            if (each.getName().equals(name) && each.getParameterCount() == arguments.length) {
                try {
                    each.setAccessible(true);
                    return each.invoke(target, arguments);
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        throw new IllegalStateException(target.getClass() + " has no method " + name);
    }

    /** Returns the value of an inaccessible field. */
    public static Object field(Object target, String name) {
        try {
            Field field = target.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(target);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
