package dev.mooring.cli;

import dev.mooring.log.Encryption;
import dev.mooring.replay.VerifiedRewrite;
import dev.mooring.server.ExitCode;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code mooring log reencrypt}: encrypts all Secrets in the log of a stopped server with the first key of the key
 * file.
 */
@Command(
        name = "reencrypt",
        description = "Encrypt all Secrets in the log of a stopped server with the first key of the key file.",
        footer = {
            "",
            "Use it to encrypt existing events and to retire an old key: afterwards no other key is needed. The new",
            "log is written next to the old one, verified, and then replaces it atomically."
        })
final class LogReencryptCommand implements Callable<Integer> {
    private final ProcessEnvironment environment;

    @Spec
    private CommandSpec spec;

    @Mixin
    private LogCommand.LogSource source;

    @Option(names = "--decrypt", description = "Write all Secrets in plain text instead, to turn encryption off.")
    private boolean decrypt;

    LogReencryptCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        if (source.keys().isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Missing --key-file");
        }
        Encryption target = decrypt ? Encryption.decryptingOnly(source.keys()) : source.encryption(environment);
        VerifiedRewrite.Extent extent = source.rewrite(environment, "reencrypt", target, VerifiedRewrite::reencrypt);
        environment
                .out()
                .println("Secrets in the log are now "
                        + (decrypt ? "in clear" : "encrypted with key " + target.keyId() + " only") + "; rewritten: "
                        + extent.segments() + " segments, " + extent.snapshots() + " snapshots, " + extent.bytes()
                        + " bytes; the log was verified");
        return ExitCode.OK.number();
    }
}
