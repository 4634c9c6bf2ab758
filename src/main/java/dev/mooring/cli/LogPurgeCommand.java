package dev.mooring.cli;

import dev.mooring.log.LogInspector;
import dev.mooring.model.ObjectKey;
import dev.mooring.replay.LogPurge;
import dev.mooring.replay.VerifiedRewrite;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mooring log purge}: removes past contents of objects from the log of a stopped server. */
@Command(
        name = "purge",
        description = "Remove past contents of objects, such as deleted Secrets, from the log of a stopped server.",
        footer = {
            "",
            "Keeps the events with time, type and actor, and the name, namespace, uid and times of their objects. The",
            "newest version of an existing object is not removed: delete the object first. The new log is written",
            "next to the old one, verified, and then replaces it atomically. Backups, exports and audit logs are not",
            "changed.",
            "",
            "  mooring log purge secrets/db -n shop --dry-run",
            "  mooring log purge --all-deleted-secrets --before 30d"
        })
final class LogPurgeCommand implements Callable<Integer> {
    private static final int REVISIONS_SHOWN = 10;

    private final ProcessEnvironment environment;

    @Spec
    private CommandSpec spec;

    @Mixin
    private LogCommand.LogSource source;

    @Parameters(arity = "0..*", paramLabel = "TYPE/NAME", description = "Objects, as kubectl names them.")
    private List<String> names = List.of();

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Namespace of the objects (default). With --all-deleted-secrets: only this namespace (all).")
    private String namespace;

    @Option(names = "--uid", paramLabel = "UID", description = "Only the object with this uid.")
    private String uid;

    @Option(
            names = "--before",
            paramLabel = "REVISION|TIME|AGE",
            description = "Only versions before a revision, a time (2026-01-31T00:00:00Z), or older than 30d, 12h.")
    private String before;

    @Option(names = "--all-deleted-secrets", description = "All Secrets that were deleted.")
    private boolean allDeletedSecrets;

    @Option(names = "--dry-run", description = "Only show what would be removed; works while the server runs.")
    private boolean dryRun;

    LogPurgeCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        LogPurge.PurgeSelection selection = selection();
        LogPurge.PurgePlan plan;
        if (dryRun) {
            plan = LogPurge.plan(
                    new LogInspector(source.disk(), source.directory(), source.encryption(environment)), selection);
            requireSome(plan);
            environment.out().println("would remove " + summary(plan, plan.extent()));
            plan.objects().forEach(this::print);
        } else {
            LogPurge.PurgeResult purged = source.rewrite(
                    environment, "purge", source.encryption(environment), how -> LogPurge.purge(how, selection));
            plan = purged.plan();
            requireSome(plan);
            environment.out().println("removed " + summary(plan, purged.extent()) + "; the log was verified");
            plan.objects().forEach(this::print);
            search(purged);
        }
        plan.kept().forEach(key -> environment.err().println("mooring: nothing to remove of " + key));
        return ExitCode.OK.number();
    }

    private static String summary(LogPurge.PurgePlan plan, VerifiedRewrite.Extent extent) {
        return "the contents of " + plan.versions() + " versions of "
                + plan.objects().size() + " objects; rewritten: " + extent.segments() + " segments, "
                + extent.snapshots() + " snapshots, " + extent.bytes() + " bytes";
    }

    private void print(LogPurge.ObjectPlan object) {
        String revisions = object.revisions().stream()
                .limit(REVISIONS_SHOWN)
                .map(String::valueOf)
                .collect(Collectors.joining(", "));
        int more = object.revisions().size() - REVISIONS_SHOWN;
        environment
                .out()
                .println("  " + object.key() + "  revisions " + revisions + (more > 0 ? " and " + more + " more" : "")
                        + ", " + object.bytes() + " bytes"
                        + (object.live() == 0
                                ? ""
                                : "; the object exists and keeps its newest version (revision " + object.live()
                                        + "): delete it and purge again to remove that too"));
    }

    private void requireSome(LogPurge.PurgePlan plan) {
        if (plan.objects().isEmpty()) {
            throw new MooringException(
                    ExitCode.NOT_FOUND,
                    "The log has no matching past versions with contents of "
                            + (names.isEmpty() ? "deleted Secrets" : String.join(", ", names))
                            + "; an object that exists keeps its newest version: delete it first; next: mooring log cat"
                            + " --object RESOURCE/NAMESPACE/NAME");
        }
    }

    /** Searches all files for the purged values, byte by byte, because a value may also occur elsewhere. */
    private void search(LogPurge.PurgeResult purged) throws IOException {
        Set<String> files = purged.values().filesWith(source.disk(), source.directory());
        if (!files.isEmpty()) {
            Map<String, Set<Long>> objects = purged.values()
                    .objectsWith(new LogInspector(source.disk(), source.directory(), source.encryption(environment)));
            environment
                    .err()
                    .println("mooring: values of the removed versions also occur in other objects or versions, in "
                            + String.join(", ", files) + ":");
            new TreeSet<>(objects.keySet())
                    .forEach(key -> environment.err().println("  " + key + "  revisions " + objects.get(key)));
            environment.err().println("next: change or delete these, and purge them too");
        }
        if (purged.values().tooShort() > 0) {
            environment
                    .err()
                    .println("mooring: " + purged.values().tooShort()
                            + " values are too short to search the rest of the log for them");
        }
    }

    private LogPurge.PurgeSelection selection() {
        if (names.isEmpty() && !allDeletedSecrets) {
            throw usage("Missing TYPE/NAME or --all-deleted-secrets");
        }
        List<ObjectKey> keys = new ArrayList<>();
        if (!names.isEmpty()) {
            ObjectNames types = new ObjectNames(environment.clock());
            try {
                names.forEach(name -> keys.add(types.key(name, namespace)));
            } catch (IllegalArgumentException e) {
                throw usage(e.getMessage());
            }
        }
        boolean revision = before != null && before.matches("\\d{1,18}");
        return new LogPurge.PurgeSelection(
                keys,
                allDeletedSecrets,
                Optional.ofNullable(namespace),
                Optional.ofNullable(uid),
                revision ? Long.parseLong(before) : Long.MAX_VALUE,
                before == null || revision
                        ? Instant.MAX
                        : LogCommand.time(before, environment.clock())
                                .orElseThrow(() -> usage("--before must be a revision, a time such as"
                                        + " 2026-01-31T00:00:00Z, or an age such as 30d, got \"" + before + "\"")));
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
