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
 * Looks up the addresses of servers with a deadline, which the machine's own lookup has not. Each name is looked up by a thread of its
 * own that is left behind when it takes too long; whoever asks for the same name meanwhile waits for that one, so there is at most one
 * per name, and at most {@value #MOST} in all. Any thread; blocks.
 */
final class NameLookup {
    private static final int MOST = 32;

    private final Machine machine;
    private final Map<String, CompletableFuture<List<InetAddress>>> running = new ConcurrentHashMap<>();

    /** How names are really looked up; may hang. */
    @FunctionalInterface
    interface Machine {
        InetAddress[] lookUp(String name) throws UnknownHostException;
    }

    /** A name for which no address was found in time. */
    static final class LookupException extends Exception {
        private static final long serialVersionUID = 1L;

        LookupException(String message) {
            super(message);
        }
    }

    NameLookup(Machine machine) {
        this.machine = machine;
    }

    List<InetAddress> lookUp(String name, Duration deadline) throws LookupException, InterruptedException {
        try {
            return future(name).get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new LookupException("no address is known for it");
        } catch (TimeoutException e) {
            throw new LookupException("the name service did not answer within " + deadline.toMillis() + " ms");
        }
    }

    private CompletableFuture<List<InetAddress>> future(String name) throws LookupException {
        CompletableFuture<List<InetAddress>> mine = new CompletableFuture<>();
        CompletableFuture<List<InetAddress>> other = running.putIfAbsent(name, mine);
        if (other != null) {
            return other;
        }
        if (running.size() > MOST) {
            running.remove(name, mine);
            mine.completeExceptionally(new UnknownHostException(name));
            throw new LookupException("the name service is not answering for " + MOST + " other servers either");
        }
        Thread thread = new Thread(() -> run(name, mine), "looking up " + name);
        thread.setDaemon(true);
        thread.start();
        return mine;
    }

    private void run(String name, CompletableFuture<List<InetAddress>> answer) {
        List<InetAddress> found = List.of();
        try {
            found = List.of(machine.lookUp(name));
        } catch (UnknownHostException expected) {
            // Whoever asked is told so below.
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
