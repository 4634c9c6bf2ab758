package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.KubectlAccess.Answered;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Somebody with one version of kubectl and a namespace of their own, in which every command works unless it says otherwise. Looks at each
 * command's exit code, and at every answer of the server: none may be a fault, and only commands that look before they act, or that say so, may
 * ask for what is not there. Output is masked as in {@link GoldenText}.
 */
final class KubectlUser {
    private static final Set<String> LOOK_FIRST =
            Set.of("apply", "delete", "describe", "diff", "drain", "replace", "wait");
    private static final Pattern VERB = Pattern.compile("\\$K (?:-n \\S+ |--\\S+ )*(\\w+)");

    private final KubectlBinary kubectl;
    private final KubectlShell shell;
    private final KubectlAccess access;
    private List<Answered> last = List.of();

    /** Makes the directory and the namespace. */
    KubectlUser(KubectlBinary kubectl, Path directory, Path kubeconfig, KubectlAccess access) {
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

    /** Writes a manifest; {@code @} in it becomes the namespace's name, for the names of what has no namespace. */
    void write(String file, String manifest) {
        shell.write(file, manifest.replace("@", namespace()));
    }

    /** Runs what must succeed without a word of complaint, and returns what it prints. */
    String ok(String line) {
        KubectlShell.Result result = run(line);
        assertThat(result.err()).as("errors of %s", line).isEmpty();
        assertThat(result.code()).as("exit code of %s", line).isZero();
        return result.out();
    }

    /** Runs what must succeed and warn, and returns both. */
    KubectlShell.Result warned(String line) {
        KubectlShell.Result result = run(line);
        assertThat(result.code()).as("exit code of %s: %s", line, result.err()).isZero();
        return result;
    }

    /** Runs what must fail, and returns what it complains of. */
    String fails(String line) {
        KubectlShell.Result result = record(line);
        assertThat(result.code())
                .as("exit code of %s, which printed %s", line, result.out())
                .isEqualTo(1);
        if (!result.err().contains("not found")) {
            check(line);
        } else {
            assertThat(last.stream().filter(Answered::isFault))
                    .as("answers to %s", line)
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
        boolean looksFirst = line.contains("--ignore-not-found")
                || VERB.matcher(line).results().anyMatch(verb -> LOOK_FIRST.contains(verb.group(1)));
        assertThat(last.stream().filter(each -> isUnexpected(each, looksFirst)))
                .as("answers to %s", line)
                .isEmpty();
    }

    private static boolean isUnexpected(Answered each, boolean looksFirst) {
        boolean mayBeMissing = looksFirst && (each.namesOneObject() || each.looksForLimitsOfANamespace());
        return each.isFault() || (each.code() == 404 && !mayBeMissing);
    }

    private KubectlShell.Result record(String line) {
        List<Answered> late = access.take();
        KubectlShell.Result result = shell.run(line);
        last = new ArrayList<>(late);
        last.addAll(access.take());
        return new KubectlShell.Result(
                result.code(),
                GoldenText.masked(result.out(), shell.directory()),
                GoldenText.masked(result.err(), shell.directory()));
    }

    /** What the server answered to the last command. */
    List<Answered> answers() {
        return last;
    }

    KubectlStream start(String line) {
        return shell.start(line);
    }
}
