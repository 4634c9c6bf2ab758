package dev.mooring.cli;

import dev.mooring.api.VersionInfo;
import dev.mooring.log.LogInspector;
import dev.mooring.model.Event;
import dev.mooring.model.Scope;
import dev.mooring.replay.BundleWriter;
import dev.mooring.replay.Recording;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ProcessEnvironment;
import dev.mooring.world.World;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLEncoder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Iterator;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mooring debug}: collects what is needed to look for a problem on another machine. */
@Command(
        name = "debug",
        description = "Collect what is needed to look for a problem on another machine.",
        synopsisSubcommandLabel = "COMMAND")
final class DebugCommand implements Runnable {
    private static final String PATH = "/apis/mooring.dev/v1/debug/bundle";
    private static final String DEFAULT_SPAN = "1h";

    private final ProcessEnvironment environment;

    @Spec
    private CommandSpec spec;

    DebugCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command; expected bundle");
    }

    @Command(
            name = "bundle",
            description = {
                "Write a file with a part of the log, the objects before it, settings, metrics, mounts and containers.",
                "",
                "Contents of Secrets, ConfigMaps and tokens and values of environment variables are left out. Needs an"
                        + " admin's token, or with --data read access to the data directory."
            },
            footer = {
                "",
                "Open it with: mooring replay --bundle FILE, or drop it on the web page.",
                "",
                "  mooring debug bundle --since 2h",
                "  mooring debug bundle --data /var/lib/mooring --from 812 -o bundle.zip"
            })
    int bundle(
            @Mixin ServerOption server,
            @Option(
                            names = {"-o", "--output"},
                            paramLabel = "FILE",
                            description = "The file to write (mooring-bundle-NODE-TIME.zip).")
                    Path output,
            @Option(
                            names = "--since",
                            paramLabel = "AGE|TIME",
                            description = "Events of the last 1h, 2d, or since a time (1h).")
                    String since,
            @Option(names = "--from", paramLabel = "REVISION", description = "Events after a revision.") Long from,
            @Option(
                            names = "--data",
                            paramLabel = "DIR",
                            description = "Read the log of this data directory, without a server.")
                    Path data,
            @Option(
                            names = "--key-file",
                            paramLabel = "FILE",
                            description = "Key file of encrypted Secrets; not needed, because these are left out.")
                    String keyFile)
            throws IOException {
        if (since != null && from != null) {
            throw new MooringException(ExitCode.USAGE, "--since and --from exclude each other");
        }
        String moment = from != null ? Long.toString(from) : since != null ? since : DEFAULT_SPAN;
        if (data != null) {
            offline(LogCommand.LogSource.of(data, keyFile), moment, output);
            return ExitCode.OK.number();
        }
        ApiClient client = ServerOption.client(server.access(environment.environment()));
        ApiClient.Download download =
                client.download(PATH + "?since=" + URLEncoder.encode(moment, StandardCharsets.UTF_8));
        String name = download.name().isEmpty() ? "mooring-bundle.zip" : download.name();
        try (InputStream content = download.content()) {
            write(output == null ? Path.of(name) : output, content);
        }
        return ExitCode.OK.number();
    }

    static CommandLine line(ProcessEnvironment environment) {
        return new CommandLine(new DebugCommand(environment));
    }

    private void offline(LogCommand.LogSource source, String moment, Path output) throws IOException {
        LogInspector inspector = source.inspector();
        Recording recording = Recording.ofLog(inspector);
        long wanted =
                new ReplayStepper(recording, new ObjectNames(environment.clock()), environment.out()).revision(moment);
        long from = BundleWriter.fitting(wanted, recording.events(wanted));
        World start = recording.world(from);
        Instant startTime = recording.time(from).orElse(Instant.EPOCH);
        World end = recording.world(recording.last());
        String node = end.stream(Scope.resource("nodes"))
                .map(each -> each.key().name())
                .findFirst()
                .orElse("unknown");
        Instant created = environment.clock().instant();
        Iterator<Event> events = recording.events(from);
        BundleWriter writer = new BundleWriter(new BundleWriter.Content(
                VersionInfo.ofThisBuild().gitVersion(),
                node,
                created,
                start,
                startTime,
                end,
                recording.end(),
                events,
                recording,
                BundleWriter.ServerFacts.NONE));
        Path file = output == null ? Path.of(BundleWriter.fileName(node, created)) : output;
        write(file, new PieceStream(writer));
    }

    /** Writes a file that only its owner may read, completely or not at all. */
    private void write(Path file, InputStream content) throws IOException {
        Path target = file.toAbsolutePath();
        Path part = target.resolveSibling(target.getFileName() + ".part");
        Files.deleteIfExists(part);
        try {
            try (OutputStream out = Channels.newOutputStream(Files.newByteChannel(
                    part,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))))) {
                content.transferTo(out);
            }
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
        environment.out().println(file);
        environment.err().println("Wrote " + Files.size(target) + " bytes; next: mooring replay --bundle " + file);
    }

    /** Reads the pieces of a bundle. */
    private static final class PieceStream extends InputStream {
        private final Iterator<byte[]> pieces;
        private ByteArrayInputStream current = new ByteArrayInputStream(new byte[0]);

        PieceStream(Iterator<byte[]> pieces) {
            this.pieces = pieces;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            while (current.available() == 0 && pieces.hasNext()) {
                current = new ByteArrayInputStream(pieces.next());
            }
            return current.read(bytes, offset, length);
        }
    }
}
