package dev.mooring.host;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Real system calls of which some are missing or fail. */
public final class FaultySystemCalls {
    /** Simulated crash of the process. */
    public static final class Crash extends Error {
        private static final long serialVersionUID = 1L;

        private Crash(String call) {
            super("crash before " + call);
        }
    }

    private FaultySystemCalls() {}

    /** Returns the calls of a kernel before Linux 5.6, or behind a filter that blocks openat2. */
    public static SystemCalls openat2(int errno) {
        return proxy((name, call) -> {
            if (name.equals("syscall")) {
                Native.setLastError(errno);
                return new NativeLong(-1);
            }
            return call.make();
        });
    }

    /** Returns calls that simulate a crash before the n-th call, counted from 0. */
    public static SystemCalls after(int n) {
        int[] calls = {0};
        return proxy((name, call) -> {
            if (!name.equals("close") && calls[0]++ >= n) {
                throw new Crash(name);
            }
            return call.make();
        });
    }

    /** Returns calls of which only the n-th of that name, counted from 1, fails. */
    public static SystemCalls failing(String failing, int n, int errno) {
        int[] calls = {0};
        return proxy((name, call) -> {
            if (name.equals(failing)) {
                calls[0]++;
                if (calls[0] == n) {
                    Native.setLastError(errno);
                    return -1;
                }
            }
            return call.make();
        });
    }

    /** Returns calls that run the disturbance before each call. */
    public static SystemCalls disturbedBy(Runnable disturbance) {
        return proxy((name, call) -> {
            disturbance.run();
            return call.make();
        });
    }

    private interface InterceptedCall {
        Object make() throws Throwable;
    }

    private interface CallRule {
        Object apply(String name, InterceptedCall call) throws Throwable;
    }

    private static SystemCalls proxy(CallRule rule) {
        return (SystemCalls) Proxy.newProxyInstance(
                SystemCalls.class.getClassLoader(), new Class<?>[] {SystemCalls.class}, (self, method, arguments) -> {
                    return rule.apply(method.getName(), () -> {
                        try {
                            return method.invoke(SystemCalls.real(), arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
                });
    }
}
