package dev.mooring.volume.nfs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Resolves server names with a deadline, which the system resolver does not have. Each name is resolved by its own
 * thread, which is abandoned after the deadline. Concurrent callers share the lookup of a name, so there is at most one
 * thread per name and at most {@value #MAX_LOOKUPS} in total. Thread-safe; blocks.
 */
final class NameLookup {
    private static final int MAX_LOOKUPS = 32;

    private final SystemResolver resolver;
    private final Map<String, CompletableFuture<List<InetAddress>>> running = new ConcurrentHashMap<>();

    /** The system resolver; may hang. */
    @FunctionalInterface
    interface SystemResolver {
        InetAddress[] lookUp(String name) throws UnknownHostException;
    }

    /** No address was found in time. */
    static final class LookupException extends Exception {
        private static final long serialVersionUID = 1L;

        LookupException(String message) {
            super(message);
        }
    }

    NameLookup(SystemResolver machine) {
        this.resolver = machine;
    }

    List<InetAddress> lookUp(String name, Duration deadline) throws LookupException, InterruptedException {
        try {
            return future(name).get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new LookupException("it has no address");
        } catch (TimeoutException e) {
            throw new LookupException("the name service did not respond within " + deadline.toMillis() + " ms");
        }
    }

    private CompletableFuture<List<InetAddress>> future(String name) throws LookupException {
        CompletableFuture<List<InetAddress>> mine = new CompletableFuture<>();
        CompletableFuture<List<InetAddress>> other = running.putIfAbsent(name, mine);
        if (other != null) {
            return other;
        }
        if (running.size() > MAX_LOOKUPS) {
            running.remove(name, mine);
            mine.completeExceptionally(new UnknownHostException(name));
            throw new LookupException("the name service does not respond for " + MAX_LOOKUPS + " other servers either");
        }
        Thread thread = new Thread(() -> run(name, mine), "looking up " + name);
        thread.setDaemon(true);
        thread.start();
        return mine;
    }

    private void run(String name, CompletableFuture<List<InetAddress>> answer) {
        List<InetAddress> found = List.of();
        try {
            found = List.of(resolver.lookUp(name));
        } catch (UnknownHostException expected) {
            // The failure is reported below.
        } finally {
            running.remove(name, answer);
            if (found.isEmpty()) {
                answer.completeExceptionally(new UnknownHostException(name));
            } else {
                answer.complete(found);
            }
        }
    }
}
