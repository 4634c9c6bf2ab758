package dev.mooring.cli;

import dev.mooring.api.VersionInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code mooring version}. */
@Command(name = "version", description = "Print the version.")
final class VersionCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        VersionInfo version = VersionInfo.ofThisBuild();
        spec.commandLine()
                .getOut()
                .println("mooring " + version.version() + " (kubernetes " + VersionInfo.KUBERNETES_VERSION + ", commit "
                        + version.commit() + ", built " + version.buildDate() + ")");
    }
}
