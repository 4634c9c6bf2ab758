package dev.mooring.chaos.fuzz;

import dev.mooring.chaos.fuzz.Call.Who;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Sends the requests of a grammar over a number of connections, each with its own share, and judges every answer. It does not stop at the
 * first problem: several of a run are more telling than one.
 */
final class Fuzzer {
    static final int CONNECTIONS = 12;

    private static final int PROBLEMS_KEPT = 25;
    private static final int READ_BACK = 20;

    private final RequestGrammar grammar;
    private final int port;
    private final Map<Who, String> tokens;
    private final Tally tally = new Tally();
    private final Queue<String> problems = new ConcurrentLinkedQueue<>();
    private final long seed;

    Fuzzer(long seed, int port, Map<Who, String> tokens) {
        this.seed = seed;
        this.grammar = new RequestGrammar(seed);
        this.port = port;
        this.tokens = tokens;
    }

    Tally tally() {
        return tally;
    }

    /** What went wrong, each with how to do it again. */
    List<String> problems() {
        return List.copyOf(problems);
    }

    /** Sends the requests from one number up to another. Returns when all are answered. */
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
                one(connection, grammar.call(number));
            }
        } catch (IOException | RuntimeException e) {
            problems.add("Expected the fuzzer to work, but it failed: " + e);
        }
    }

    private void one(FuzzConnection connection, Call call) {
        long start = System.nanoTime();
        try {
            Optional<Reply> reply = connection.send(call, token(call.who()));
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            if (reply.isEmpty()) {
                tally.silent(call, millis);
                return;
            }
            tally.answered(call, reply.get().code(), millis);
            Oracle.problem(call, reply.get())
                    .ifPresent(what -> problem(what, call, reply.get().toString()));
            if (call.number() % READ_BACK == 0) {
                readBack(connection, call, reply.get());
            }
        } catch (IOException e) {
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            problem("Expected an answer, but: " + e, call, "after " + millis + " ms");
        }
    }

    /** What was written can be read in every form, or is gone again by now: others write at the same time. */
    private void readBack(FuzzConnection connection, Call call, Reply written) throws IOException {
        boolean wrote = List.of("POST", "PUT", "PATCH").contains(call.method()) && written.code() / 100 == 2;
        if (!wrote || call.target().contains("dryRun")) {
            return;
        }
        Optional<String> path = WrittenObject.path(grammar.kinds(), Oracle.tree(written.body()));
        if (path.isEmpty()) {
            return;
        }
        for (String form : Renderings.FORMS) {
            Call read = Renderings.call(path.get(), form);
            Reply reply = connection.send(read, token(Who.ADMIN)).orElseThrow();
            if (reply.code() != 200 && reply.code() != 404) {
                problem("Expected to read what was written, but got " + reply, call, written.toString());
            }
            Oracle.problem(read, reply).ifPresent(what -> problem(what + ", reading " + form, call, reply.toString()));
        }
    }

    private Optional<String> token(Who who) {
        return Optional.ofNullable(tokens.get(who));
    }

    private void problem(String what, Call call, String answer) {
        problems.add(what + "\n  seed " + seed + ", number " + call.number() + " (again:"
                + " make test TESTS=ApiFuzzTest with JAVA_TOOL_OPTIONS='-Dmooring.seed=" + seed
                + " -Dmooring.fuzz.first=" + call.number() + " -Dmooring.fuzz.requests=1')\n  answer: " + answer
                + "\n  request " + call.describe());
    }
}
