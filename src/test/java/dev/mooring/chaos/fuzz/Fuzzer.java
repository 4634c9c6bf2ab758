package dev.mooring.chaos.fuzz;

import dev.mooring.chaos.fuzz.FuzzRequest.Sender;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Sends the requests of a grammar over several connections and checks every response. Continues after the first
 * problem, because several problems are easier to diagnose than one.
 */
final class Fuzzer {
    static final int CONNECTIONS = 12;

    private static final int PROBLEMS_KEPT = 25;
    private static final int READ_BACK = 20;

    private final RequestGrammar grammar;
    private final int port;
    private final Map<Sender, String> tokens;
    private final ResponseStats stats = new ResponseStats();
    private final Queue<String> problems = new ConcurrentLinkedQueue<>();
    private final long seed;

    Fuzzer(long seed, int port, Map<Sender, String> tokens) {
        this.seed = seed;
        this.grammar = new RequestGrammar(seed);
        this.port = port;
        this.tokens = tokens;
    }

    ResponseStats stats() {
        return stats;
    }

    /** Returns the problems, each with the command that repeats it. */
    List<String> problems() {
        return List.copyOf(problems);
    }

    /** Sends the requests with numbers from {@code from} to below {@code to}; returns when all are done. */
    void run(long from, long to) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            int share = i;
            Thread thread = new Thread(() -> share(from + share, to), "fuzz-" + share);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        for (Thread each : threads) {
            each.join();
        }
    }

    private void share(long from, long to) {
        try (FuzzConnection connection = new FuzzConnection(port)) {
            for (long number = from; number < to && problems.size() < PROBLEMS_KEPT; number += CONNECTIONS) {
                sendAndCheck(connection, grammar.call(number));
            }
        } catch (IOException | RuntimeException e) {
            problems.add("The fuzzer failed: " + e);
        }
    }

    private void sendAndCheck(FuzzConnection connection, FuzzRequest call) {
        long start = System.nanoTime();
        try {
            Optional<FuzzReply> reply = connection.send(call, token(call.sender()));
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            if (reply.isEmpty()) {
                stats.silent(call, millis);
                return;
            }
            stats.answered(call, reply.get().code(), millis);
            Oracle.problem(call, reply.get())
                    .ifPresent(what -> problem(what, call, reply.get().toString()));
            if (call.number() % READ_BACK == 0) {
                readBack(connection, call, reply.get());
            }
        } catch (IOException e) {
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            problem("No valid response: " + e, call, "after " + millis + " ms");
        }
    }

    /** Reads a written object in every format; it may have been deleted by another connection. */
    private void readBack(FuzzConnection connection, FuzzRequest call, FuzzReply written) throws IOException {
        boolean wrote = List.of("POST", "PUT", "PATCH").contains(call.method()) && written.code() / 100 == 2;
        if (!wrote || call.target().contains("dryRun")) {
            return;
        }
        Optional<String> path = WrittenObject.path(grammar.kinds(), Oracle.tree(written.body()));
        if (path.isEmpty()) {
            return;
        }
        for (String form : OutputFormsCheck.FORMS) {
            FuzzRequest read = OutputFormsCheck.call(path.get(), form);
            FuzzReply reply = connection.send(read, token(Sender.ADMIN)).orElseThrow();
            if (reply.code() != 200 && reply.code() != 404) {
                problem("Cannot read the written object: " + reply, call, written.toString());
            }
            Oracle.problem(read, reply).ifPresent(what -> problem(what + ", reading " + form, call, reply.toString()));
        }
    }

    private Optional<String> token(Sender sender) {
        return Optional.ofNullable(tokens.get(sender));
    }

    private void problem(String what, FuzzRequest call, String answer) {
        problems.add(what + "\n  seed " + seed + ", number " + call.number() + " (again:"
                + " make test TESTS=ApiFuzzTest with JAVA_TOOL_OPTIONS='-Dmooring.seed=" + seed
                + " -Dmooring.fuzz.first=" + call.number() + " -Dmooring.fuzz.requests=1')\n  answer: " + answer
                + "\n  request " + call.describe());
    }
}
