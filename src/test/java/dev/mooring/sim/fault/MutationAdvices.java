package dev.mooring.sim.fault;

import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * Byte Buddy advices that change a detail of a method. Byte Buddy copies this code into the mutated class, so
 * everything that it calls must be public.
 */
final class MutationAdvices {
    private MutationAdvices() {}

    /** Skips the method for every fifth revision. */
    static final class SkipsEveryFifth {
        private SkipsEveryFifth() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.Argument(1) long revision) {
            return revision % 5 == 0;
        }
    }

    /** Increments the first argument. */
    static final class OffByOne {
        private OffByOne() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) long number) {
            number++;
        }
    }

    /** Drops notifications of removals. */
    static final class DropsRemovals {
        private DropsRemovals() {}

        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(value = 0, readOnly = false, typing = Assigner.Typing.DYNAMIC) List<?> notifications) {
            notifications = MutatedBehaviour.withoutRemovals(notifications);
        }
    }

    /** Classifies damage as a torn write. */
    static final class DamageAsTornWrite {
        private DamageAsTornWrite() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object classification) {
            classification = MutatedBehaviour.damageAsTornWrite(classification);
        }
    }

    /** Skips the first batch of the next segment. */
    static final class SkipsABatch {
        private SkipsABatch() {}

        @Advice.OnMethodExit
        static void exit(@Advice.This Object reader) {
            MutatedBehaviour.call(MutatedBehaviour.field(reader, "scanner"), "next", Long.MAX_VALUE);
        }
    }
}
