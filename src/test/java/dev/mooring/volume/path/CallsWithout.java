package dev.mooring.volume.path;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** The machine's system calls, with something taken away or breaking. */
public final class CallsWithout {
    /** What the process does not survive. */
    public static final class Crash extends Error {
        private static final long serialVersionUID = 1L;

        private Crash(String call) {
            super("crash before " + call);
        }
    }

    private CallsWithout() {}

    /** A kernel before Linux 5.6, or a filter that does not know openat2. */
    public static SystemCalls openat2(int errno) {
        return proxy((name, call) -> {
            if (name.equals("syscall")) {
                Native.setLastError(errno);
                return new NativeLong(-1);
            }
            return call.make();
        });
    }

    /** The process dies before its n-th call, counted from 0. */
    public static SystemCalls after(int n) {
        int[] calls = {0};
        return proxy((name, call) -> {
            if (!name.equals("close") && calls[0]++ >= n) {
                throw new Crash(name);
            }
            return call.make();
        });
    }

    /** The n-th call of that name, counted from 1, fails; before and after it all is well. */
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

    /** Something happens in the machine before each call. */
    public static SystemCalls disturbedBy(Runnable disturbance) {
        return proxy((name, call) -> {
            disturbance.run();
            return call.make();
        });
    }

    private interface Call {
        Object make() throws Throwable;
    }

    private interface Rule {
        Object apply(String name, Call call) throws Throwable;
    }

    private static SystemCalls proxy(Rule rule) {
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
