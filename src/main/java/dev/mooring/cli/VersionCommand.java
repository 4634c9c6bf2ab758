package dev.mooring.cli;

import dev.mooring.api.VersionInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code mooring version} and {@code mooring --version}: prints the version. */
@Command(name = "version", description = "Print the version.")
final class VersionCommand implements Runnable, IVersionProvider {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().getOut().println(getVersion()[0]);
    }

    @Override
    public String[] getVersion() {
        VersionInfo version = VersionInfo.ofThisBuild();
        return new String[] {
            "mooring " + version.version() + " (kubernetes " + VersionInfo.KUBERNETES_VERSION + ", commit "
                    + version.commit() + ", built " + version.buildDate() + ")"
        };
    }
}
