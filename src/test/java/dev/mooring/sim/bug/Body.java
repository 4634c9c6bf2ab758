package dev.mooring.sim.bug;

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

/** What becomes of a method. A class that is loaded can get other code, but no other members: so there are neither in it. */
@FunctionalInterface
interface Body {
    DynamicType.Builder<?> in(DynamicType.Builder<?> type, ElementMatcher.Junction<MethodDescription> method);

    /** The method does nothing. */
    static Body doesNothing() {
        return replaced(StubMethod.INSTANCE);
    }

    /** @param value a number, a boolean or a text */
    static Body answers(Object value) {
        return replaced(FixedValue.value(value));
    }

    static Body answersNothing() {
        return replaced(MethodCall.invoke(factory(Optional.class, "empty")));
    }

    /** Answers with what a factory without parameters makes. */
    static Body answers(Class<?> of, String factory) {
        return replaced(
                MethodCall.invoke(factory(of, factory)).withAssigner(Assigner.DEFAULT, Assigner.Typing.DYNAMIC));
    }

    /** One of the calls in it is left out. */
    static Body leavesOut(String call) {
        return (type, method) ->
                type.visit(calls().method(ElementMatchers.named(call)).stub().on(method));
    }

    /** Calls one of {@link Wrongs} instead. */
    static Body calls(String wrong, String call) {
        return (type, method) -> type.visit(calls().method(ElementMatchers.named(call))
                .replaceWith(Wrongs.named(wrong))
                .on(method));
    }

    /** Advice around the method; see Byte Buddy. */
    static Body advised(Class<?> advice) {
        return (type, method) -> type.visit(Advice.to(advice).on(method));
    }

    private static MemberSubstitution calls() {
        return MemberSubstitution.strict().failIfNoMatch(true);
    }

    private static Body replaced(Implementation body) {
        return (type, method) -> type.method(method).intercept(body);
    }

    private static Method factory(Class<?> of, String name) {
        return Arrays.stream(of.getMethods())
                .filter(each -> each.getName().equals(name) && each.getParameterCount() == 0)
                .findFirst()
                .orElseThrow();
    }
}
