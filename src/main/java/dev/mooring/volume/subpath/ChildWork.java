package dev.mooring.volume.subpath;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import dev.mooring.volume.subpath.SubPathException.Stage;
import dev.mooring.volume.subpath.SubPathJob.End;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Has jobs done by {@link SubPathChild}: the same program and libraries with a small heap, and a deadline. Stateless; any thread. */
final class ChildWork {
    private final CommandRunner runner;
    private final Duration deadline;

    ChildWork(CommandRunner runner, Duration deadline) {
        this.runner = runner;
        this.deadline = deadline;
    }

    End perform(SubPathJob job) throws SubPathException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> arguments = List.of(
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                // Children have no locale, but paths are what they are.
                "-Dsun.jnu.encoding=UTF-8",
                "-cp",
                absolute(System.getProperty("java.class.path")),
                SubPathChild.class.getName());
        CommandResult result;
        try {
            result = runner.run(new Command(java, arguments, SubPathJson.write(job), deadline));
        } catch (CommandException e) {
            throw e.kind() == CommandException.Kind.TOO_SLOW
                    ? tooSlow(job)
                    : new SubPathException(Stage.PREPARING, "CommandFailed", e.getMessage());
        }
        try {
            return SubPathJson.readEnd(result.output());
        } catch (JsonProcessingException e) {
            throw new SubPathException(
                    Stage.PREPARING,
                    "CommandFailed",
                    "Expected the child process to say how it ended, but it ended with " + result.exit() + ": "
                            + result.words());
        }
    }

    private SubPathException tooSlow(SubPathJob job) {
        return new SubPathException(
                Stage.PREPARING,
                SubPaths.TOO_SLOW,
                "opening subPath \"" + job.subPath() + "\" did not end within " + deadline.toSeconds()
                        + " s: is the server of the volume alive? It is tried again");
    }

    /** The child starts in another directory. */
    private static String absolute(String classPath) {
        StringBuilder text = new StringBuilder();
        for (String each : classPath.split(":", -1)) {
            text.append(text.length() == 0 ? "" : ":").append(Path.of(each).toAbsolutePath());
        }
        return text.toString();
    }
}
