package dev.mooring.volume.mount;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import dev.mooring.volume.path.SystemCalls;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/** The machine's system calls, with certain mounts failing, or pretending to succeed. */
final class CallsFailing {
    private static final int FLAGS = 3;
    private static final int DATA = 4;

    private CallsFailing() {}

    /** Those that have at least these flags, and no REMOUNT if that is not among them. 0 as the error: nothing happens, silently. */
    static SystemCalls mount(long flags, int errno) {
        return proxy(
                arguments -> {
                    long given = ((NativeLong) arguments[FLAGS]).longValue();
                    return (given & flags) == flags && (given & 32) == (flags & 32);
                },
                errno);
    }

    /** Those whose options hold this word. */
    static SystemCalls mountWith(String option, int errno) {
        return proxy(
                arguments -> arguments[DATA] != null
                        && new String((byte[]) arguments[DATA], StandardCharsets.UTF_8).contains(option),
                errno);
    }

    private static SystemCalls proxy(Predicate<Object[]> fails, int errno) {
        return (SystemCalls) Proxy.newProxyInstance(
                SystemCalls.class.getClassLoader(), new Class<?>[] {SystemCalls.class}, (self, method, arguments) -> {
                    if (method.getName().equals("mount") && fails.test(arguments)) {
                        Native.setLastError(errno);
                        return errno == 0 ? 0 : -1;
                    }
                    try {
                        return method.invoke(SystemCalls.real(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
