package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.KubectlAccessLog.LoggedRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * User with one version of kubectl and its own namespace. Checks the exit code of each command and every response of
 * the server: none may be a fault, and only commands that read before they write, or that have
 * {@code --ignore-not-found}, may request missing objects. Output is masked as in {@link GoldenText}.
 */
final class KubectlUser {
    private static final Set<String> READ_BEFORE_WRITE =
            Set.of("apply", "delete", "describe", "diff", "drain", "replace", "wait");
    private static final Pattern VERB = Pattern.compile("\\$K (?:-n \\S+ |--\\S+ )*(\\w+)");

    private final KubectlBinary kubectl;
    private final KubectlShell shell;
    private final KubectlAccessLog access;
    private final List<KubectlStream> readingStreams = new ArrayList<>();
    private List<LoggedRequest> last = List.of();
    private List<LoggedRequest> answers = List.of();
    private boolean streamsReadFirst;

    /** Creates the directory and the namespace. */
    KubectlUser(KubectlBinary kubectl, Path directory, Path kubeconfig, KubectlAccessLog access) {
        this.kubectl = kubectl;
        this.access = access;
        try {
            Path own = Files.createDirectory(directory.resolve(kubectl.label()));
            Path config = Files.copy(kubeconfig, own.resolve("kubeconfig"));
            this.shell = new KubectlShell(own, kubectl, List.of("--kubeconfig=" + config));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ok("$K config set-context --current --namespace=" + namespace());
        ok("$K create namespace " + namespace());
    }

    int minor() {
        return kubectl.minor();
    }

    String namespace() {
        return kubectl.label();
    }

    /** Writes a manifest; replaces {@code @} by the namespace, for names of cluster-scoped objects. */
    void write(String file, String manifest) {
        shell.write(file, manifest.replace("@", namespace()));
    }

    /** Runs a command that must succeed without warnings, and returns its output. */
    String ok(String line) {
        KubectlShell.Result result = run(line);
        assertThat(result.err()).as("errors of %s", line).isEmpty();
        assertThat(result.code()).as("exit code of %s", line).isZero();
        return result.out();
    }

    /** Runs a command that must succeed and may warn, and returns its result. */
    KubectlShell.Result warned(String line) {
        KubectlShell.Result result = run(line);
        assertThat(result.code()).as("exit code of %s: %s", line, result.err()).isZero();
        return result;
    }

    /** Runs a command that must fail, and returns its errors. */
    String fails(String line) {
        KubectlShell.Result result = record(line);
        assertThat(result.code())
                .as("exit code of %s, which printed %s", line, result.out())
                .isEqualTo(1);
        if (!result.err().contains("not found")) {
            check(line);
        } else {
            assertThat(last.stream().filter(LoggedRequest::isFault))
                    .as("responses to %s", line)
                    .isEmpty();
        }
        return result.err();
    }

    KubectlShell.Result run(String line) {
        KubectlShell.Result result = record(line);
        check(line);
        return result;
    }

    private void check(String line) {
        boolean readsFirst = readsFirst(line) || streamsReadFirst;
        assertThat(last.stream().filter(each -> isUnexpected(each, readsFirst)))
                .as("responses to %s", line)
                .isEmpty();
    }

    private static boolean readsFirst(String line) {
        return line.contains("--ignore-not-found")
                || VERB.matcher(line).results().anyMatch(verb -> READ_BEFORE_WRITE.contains(verb.group(1)));
    }

    private static boolean isUnexpected(LoggedRequest each, boolean readsFirst) {
        boolean mayBeMissing = readsFirst && (each.namesOneObject() || each.isNamespaceLimitsLookup());
        return each.isFault() || (each.code() == 404 && !mayBeMissing);
    }

    private KubectlShell.Result record(String line) {
        // Requests of streams may be among those of this command, even if the stream has ended since the last one.
        streamsReadFirst = !readingStreams.isEmpty();
        readingStreams.removeIf(each -> !each.isRunning());
        List<LoggedRequest> late = access.drain();
        KubectlShell.Result result = shell.run(line);
        answers = access.drain();
        last = new ArrayList<>(late);
        last.addAll(answers);
        return new KubectlShell.Result(
                result.code(),
                GoldenText.masked(result.out(), shell.directory()),
                GoldenText.masked(result.err(), shell.directory()));
    }

    /** Requests of the last command and the codes of their responses. */
    List<LoggedRequest> answers() {
        return answers;
    }

    KubectlStream start(String line) {
        KubectlStream stream = shell.start(line);
        if (readsFirst(line)) {
            readingStreams.add(stream);
        }
        return stream;
    }
}
