package dev.mooring.sim.bug;

import dev.mooring.world.Proposal;
import java.util.List;
import java.util.Optional;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Bodies that are the right ones, but for a detail. Byte Buddy copies this code into the victim: what it calls has to be public. */
final class Advices {
    private Advices() {}

    /** Does nothing for every fifth revision. */
    static final class NowAndThenNothing {
        private NowAndThenNothing() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.Argument(1) long revision) {
            return revision % 5 == 0;
        }
    }

    /** A number that is too high by one. */
    static final class OneTooFar {
        private OneTooFar() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) long number) {
            number++;
        }
    }

    /** Nobody is told of removals. */
    static final class OverlooksRemovals {
        private OverlooksRemovals() {}

        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(value = 0, readOnly = false, typing = Assigner.Typing.DYNAMIC) List<?> followed) {
            followed = Wrongs.withoutRemovals(followed);
        }
    }

    /** Nothing is damaged. */
    static final class Harmless {
        private Harmless() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object verdict) {
            verdict = Wrongs.harmless(verdict);
        }
    }

    /** What is proposed is to happen whatever has happened since. */
    static final class Regardless {
        private Regardless() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Optional<Proposal> proposal) {
            proposal = Wrongs.regardless(proposal);
        }
    }

    /** Goes on with the second batch of the next segment. */
    static final class SkipsABatch {
        private SkipsABatch() {}

        @Advice.OnMethodExit
        static void exit(@Advice.This Object reader) {
            Wrongs.call(Wrongs.field(reader, "scanner"), "next", Long.MAX_VALUE);
        }
    }
}
