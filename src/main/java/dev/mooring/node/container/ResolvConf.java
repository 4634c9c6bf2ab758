package dev.mooring.node.container;

import dev.mooring.runtime.ContainerSpec.Dns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the machine's DNS settings from {@code /etc/resolv.conf}. Reads the file each time; any thread. */
public final class ResolvConf {
    private static final Path USUAL = Path.of("/etc/resolv.conf");

    /** The upstream servers of systemd-resolved, whose own address containers cannot reach. */
    private static final Path UPSTREAM = Path.of("/run/systemd/resolve/resolv.conf");

    private static final List<String> STUB = List.of("127.0.0.53");
    private static final Dns NOTHING = new Dns(List.of(), List.of(), List.of());

    private final Path usual;
    private final Path upstream;

    public ResolvConf() {
        this(USUAL, UPSTREAM);
    }

    ResolvConf(Path usual, Path behindStub) {
        this.usual = usual;
        this.upstream = behindStub;
    }

    /** Returns the settings; empty if the file cannot be read, so that the engine decides. */
    public Dns read() {
        Dns found = read(usual);
        Dns behind = found.servers().equals(STUB) ? read(upstream) : NOTHING;
        return behind.servers().isEmpty() ? found : behind;
    }

    private static Dns read(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException e) {
            return NOTHING;
        }
    }

    /** Parses the file. The last search line counts. */
    static Dns parse(String text) {
        List<String> servers = new ArrayList<>();
        List<String> searches = List.of();
        List<String> options = new ArrayList<>();
        for (String line : text.lines().toList()) {
            List<String> words = tokens(line);
            List<String> values = words.isEmpty() ? words : words.subList(1, words.size());
            switch (words.isEmpty() ? "" : words.get(0)) {
                case "nameserver" -> values.stream().limit(1).forEach(servers::add);
                case "search" -> searches = values;
                case "options" -> options.addAll(values);
                default -> {
                    // A comment, or an option that containers do not get.
                }
            }
        }
        return new Dns(List.copyOf(servers), List.copyOf(searches), List.copyOf(options));
    }

    private static List<String> tokens(String line) {
        return line.isBlank() ? List.of() : List.of(line.strip().split("\\s+", -1));
    }
}
