package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.model.Scope;
import dev.mooring.world.StateStore;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A server whose objects tests explain over HTTP, and a shell with kubectl in which they run the next steps, as a user
 * pastes them. Explanations are read again after each event, without polling.
 */
final class ExplainFixture implements AutoCloseable {
    static final String NODE = "testhost";
    static final String EXPLAIN = "/apis/mooring.dev/v1/explain/";

    /** Far longer than any problem takes to appear on a busy machine. */
    private static final long TIMEOUT_SECONDS = 90;

    private final StorageProvisionFixture storage;
    private final KubectlShell shell;

    private ExplainFixture(StorageProvisionFixture storage, KubectlShell shell) {
        this.storage = storage;
        this.shell = shell;
    }

    static ExplainFixture start(Path directory, Map<String, String> flags) throws IOException {
        assumeTrue(KubectlBinary.inPath("bash").isPresent(), "Needs bash in the PATH");
        assumeTrue(KubectlBinary.newest().isPresent(), "Needs kubectl in the PATH");
        StorageProvisionFixture storage = StorageProvisionFixture.start(directory.resolve("data"), flags);
        Path home = Files.createDirectories(directory.resolve("home"));
        KubectlShell shell = new KubectlShell(
                home,
                KubectlBinary.newest().orElseThrow(),
                List.of("--kubeconfig=" + storage.http().server().kubeconfig()));
        return new ExplainFixture(storage, shell);
    }

    StorageProvisionFixture api() {
        return storage;
    }

    /** Returns the explanation of an object such as {@code pods/default/web}. */
    JsonNode explain(String object) {
        Reply reply = get(object);
        assertThat(reply.code()).as(reply.text()).isEqualTo(200);
        return reply.body();
    }

    private Reply get(String object) {
        return storage.http().get(EXPLAIN + object);
    }

    /** Waits until an object is explained by a root cause whose sentence contains the text. */
    JsonNode untilCause(String object, String text) {
        return until(
                object,
                "explained by \"" + text + "\"",
                each -> each.path("problem").asBoolean()
                        && rootCause(each.path("root")).path("text").asText().contains(text));
    }

    /** Waits until no finding of an object contains the text. */
    JsonNode untilNoCause(String object, String text) {
        return until(
                object,
                "without \"" + text + "\"",
                each -> !each.path("root").toString().contains(text));
    }

    /** Waits until an object has no problem. */
    JsonNode untilFine(String object) {
        return until(object, "without a problem", each -> !each.path("problem").asBoolean(true));
    }

    /** Follows the most serious cause as long as there is exactly one, as a reader does. */
    static JsonNode rootCause(JsonNode finding) {
        List<JsonNode> causes = new ArrayList<>();
        for (String severity : List.of("failed", "waiting")) {
            for (JsonNode each : finding.path("because")) {
                if (causes.isEmpty() || causes.get(0).path("severity").asText().equals(severity)) {
                    Stream.of(each)
                            .filter(one -> one.path("severity").asText().equals(severity))
                            .forEach(causes::add);
                }
            }
        }
        return causes.size() == 1 ? rootCause(causes.get(0)) : finding;
    }

    JsonNode until(String object, String expected, Predicate<JsonNode> holds) {
        StateStore store = storage.http().server().stateStore();
        CompletableFuture<JsonNode> found = new CompletableFuture<>();
        AtomicReference<String> last = new AtomicReference<>("none");
        Runnable check = () -> {
            Reply reply = get(object);
            last.set(reply.body().isObject() ? reply.body().toPrettyString() : reply.text());
            if (reply.code() == 200 && holds.test(reply.body())) {
                found.complete(reply.body());
            }
        };
        Disposable events = store.hub()
                .events(store.ledger().world().revision(), Scope.all(), Schedulers.io())
                .takeWhile(event -> !found.isDone())
                .subscribe(event -> check.run(), found::completeExceptionally);
        try {
            check.run();
            return found.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("Expected " + object + ' ' + expected + ", but it is " + last.get(), e);
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        } finally {
            events.dispose();
        }
    }

    /** Runs the first next step whose command starts with the text; it must succeed. */
    void apply(JsonNode explanation, String start) {
        run(step(explanation, start));
    }

    /** Returns the first next step whose command starts with the text. */
    static String step(JsonNode explanation, String start) {
        for (JsonNode each : explanation.path("next")) {
            if (each.path("command").asText().startsWith(start)) {
                assertThat(each.path("text").asText()).endsWith(".");
                return each.path("command").asText();
            }
        }
        throw new AssertionError("Expected a next step " + start + ", but found " + explanation.path("next"));
    }

    /** Runs all next steps that only read, which must succeed as well. */
    void applyReads(JsonNode explanation) {
        for (JsonNode each : explanation.path("next")) {
            String command = each.path("command").asText();
            if (command.startsWith("kubectl get ") || command.startsWith("kubectl describe ")) {
                run(command);
            }
        }
    }

    String run(String command) {
        KubectlShell.Result result = shell.run("kubectl() { $K \"$@\"; }; " + command);
        assertThat(result.code())
                .as(command + '\n' + result.out() + result.err())
                .isZero();
        return result.out();
    }

    @Override
    public void close() {
        storage.close();
    }
}
