package dev.mooring.cli;

import dev.mooring.api.VersionInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code mooring man-pages DIR}: writes the manual pages of all commands, {@code mooring.1} and {@code mooring-get.1},
 * for {@code scripts/dist}. Writes roff directly, because picocli's generator writes AsciiDoc, which only Asciidoctor
 * (Ruby) converts.
 */
@Command(name = "man-pages", hidden = true, description = "Write the manual pages of all commands to a directory.")
final class ManPagesCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "Existing directory.")
    private Path directory;

    @Override
    public Integer call() throws IOException {
        writeWithSubcommands(spec.root());
        return 0;
    }

    private void writeWithSubcommands(CommandSpec command) throws IOException {
        Files.writeString(directory.resolve(name(command) + ".1"), page(command));
        for (CommandSpec each : subcommands(command)) {
            writeWithSubcommands(each);
        }
    }

    private static List<CommandSpec> subcommands(CommandSpec command) {
        return command.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(each -> !each.usageMessage().hidden())
                .toList();
    }

    private static String name(CommandSpec command) {
        return command.qualifiedName("-");
    }

    private static String page(CommandSpec command) {
        CommandLine.Help help = command.commandLine().getHelp();
        String[] description = command.usageMessage().description();
        StringBuilder page = new StringBuilder();
        page.append(".TH \"")
                .append(name(command).toUpperCase(java.util.Locale.ROOT))
                .append("\" 1 \"\" \"mooring ");
        page.append(VersionInfo.ofThisBuild().version()).append("\" \"Mooring\"\n");
        page.append(".SH NAME\n").append(text(name(command))).append(" \\- ");
        page.append(text(description.length == 0 ? "" : description[0])).append('\n');
        page.append(".SH SYNOPSIS\n.nf\n")
                .append(text(help.synopsis(0).strip()))
                .append("\n.fi\n");
        page.append(".SH DESCRIPTION\n").append(paragraphs(description));
        section(
                page,
                "ARGUMENTS",
                command.positionalParameters().stream()
                        .filter(each -> !each.hidden())
                        .map(ManPagesCommand::entry));
        section(
                page,
                "OPTIONS",
                command.options().stream().filter(each -> !each.hidden()).map(ManPagesCommand::entry));
        section(
                page,
                "COMMANDS",
                subcommands(command).stream()
                        .map(each -> entry(
                                "\\fB" + text(name(each)) + "\\fR(1)",
                                each.usageMessage().description())));
        String[] footer = command.usageMessage().footer();
        if (footer.length > 0) {
            page.append(".SH NOTES\n").append(paragraphs(footer));
        }
        CommandSpec parent = command.parent();
        if (parent != null) {
            page.append(".SH SEE ALSO\n\\fB").append(text(name(parent))).append("\\fR(1)\n");
        }
        return page.toString();
    }

    private static void section(StringBuilder page, String title, Stream<String> entries) {
        String body = entries.collect(Collectors.joining());
        if (!body.isEmpty()) {
            page.append(".SH ").append(title).append('\n').append(body);
        }
    }

    private static String entry(OptionSpec option) {
        String names = Stream.of(option.names())
                .map(each -> "\\fB" + text(each) + "\\fR")
                .collect(Collectors.joining(", "));
        boolean takesValue = option.arity().max() > 0;
        return entry(names + (takesValue ? " \\fI" + text(option.paramLabel()) + "\\fR" : ""), option.description());
    }

    private static String entry(PositionalParamSpec parameter) {
        return entry("\\fI" + text(parameter.paramLabel()) + "\\fR", parameter.description());
    }

    private static String entry(String title, String... description) {
        return ".TP\n" + title + '\n' + paragraphs(description);
    }

    /** Returns lines as paragraphs: an empty line starts the next one. */
    private static String paragraphs(String... lines) {
        return Stream.of(lines)
                .flatMap(String::lines)
                .map(each -> each.isBlank() ? ".sp" : text(each) + "\n.br")
                .collect(Collectors.joining("\n", "", "\n"));
    }

    /** Resolves picocli's markup and escapes characters that roff interprets. */
    private static String text(String text) {
        String plain =
                Ansi.OFF.string(text).replace("%%", "%").replace("\\", "\\e").replace("-", "\\-");
        return plain.startsWith(".") || plain.startsWith("'") ? "\\&" + plain : plain;
    }
}
