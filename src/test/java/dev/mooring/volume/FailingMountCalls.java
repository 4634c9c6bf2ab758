package dev.mooring.volume;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import dev.mooring.host.SystemCalls;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/** Real system calls of which certain mounts fail or only pretend to succeed. */
final class FailingMountCalls {
    private static final int FLAGS = 3;
    private static final int DATA = 4;

    private FailingMountCalls() {}

    /**
     * Fails mounts that have all these flags, and REMOUNT only if it is one of them. With errno 0 they do nothing and
     * succeed.
     */
    static SystemCalls mount(long flags, int errno) {
        return proxy(
                arguments -> {
                    long given = ((NativeLong) arguments[FLAGS]).longValue();
                    return (given & flags) == flags && (given & 32) == (flags & 32);
                },
                errno);
    }

    /** Fails mounts whose options contain the text. */
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
