package dev.mooring.sim.fault;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.implementation.MethodCall;
import net.bytebuddy.implementation.StubMethod;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Replaces or changes the code of a method. A loaded class can get new code but no new members, so mutations add none.
 */
@FunctionalInterface
public interface MethodMutation {
    DynamicType.Builder<?> apply(DynamicType.Builder<?> type, ElementMatcher.Junction<MethodDescription> method);

    /** The method returns its default value without doing anything. */
    static MethodMutation doesNothing() {
        return replaced(StubMethod.INSTANCE);
    }

    /**
     * The method returns a constant.
     *
     * @param value a number, a boolean or a string
     */
    static MethodMutation returns(Object value) {
        return replaced(FixedValue.value(value));
    }

    static MethodMutation returnsEmpty() {
        return replaced(MethodCall.invoke(factory(Optional.class, "empty")));
    }

    /** The method returns the result of a static factory without parameters. */
    static MethodMutation returns(Class<?> of, String factory) {
        return replaced(
                MethodCall.invoke(factory(of, factory)).withAssigner(Assigner.DEFAULT, Assigner.Typing.DYNAMIC));
    }

    /** The method omits its calls of another method. */
    static MethodMutation omits(String call) {
        return (type, method) ->
                type.visit(calls().method(ElementMatchers.named(call)).stub().on(method));
    }

    /** The method calls a method of {@link MutatedBehaviour} instead of another method. */
    static MethodMutation calls(String replacement, String call) {
        return (type, method) -> type.visit(calls().method(ElementMatchers.named(call))
                .replaceWith(MutatedBehaviour.named(replacement))
                .on(method));
    }

    /** The method gets a Byte Buddy advice. */
    static MethodMutation advised(Class<?> advice) {
        return (type, method) -> type.visit(Advice.to(advice).on(method));
    }

    private static MemberSubstitution calls() {
        return MemberSubstitution.strict().failIfNoMatch(true);
    }

    private static MethodMutation replaced(Implementation body) {
        return (type, method) -> type.method(method).intercept(body);
    }

    private static Method factory(Class<?> of, String name) {
        return Arrays.stream(of.getMethods())
                .filter(each -> each.getName().equals(name) && each.getParameterCount() == 0)
                .findFirst()
                .orElseThrow();
    }
}
