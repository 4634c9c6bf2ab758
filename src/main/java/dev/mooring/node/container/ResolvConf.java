package dev.mooring.node.container;

import dev.mooring.runtime.ContainerSpec.Dns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How a machine looks names up, as {@code /etc/resolv.conf} says it. Reads the file each time; any thread. */
public final class ResolvConf {
    private static final Path USUAL = Path.of("/etc/resolv.conf");

    /** What systemd-resolved asks itself, where it puts itself in between at an address that containers cannot reach. */
    private static final Path BEHIND_STUB = Path.of("/run/systemd/resolve/resolv.conf");

    private static final List<String> STUB = List.of("127.0.0.53");
    private static final Dns NOTHING = new Dns(List.of(), List.of(), List.of());

    private final Path usual;
    private final Path behindStub;

    public ResolvConf() {
        this(USUAL, BEHIND_STUB);
    }

    ResolvConf(Path usual, Path behindStub) {
        this.usual = usual;
        this.behindStub = behindStub;
    }

    /** Nothing for what cannot be read: then the engine decides. */
    public Dns read() {
        Dns found = read(usual);
        Dns behind = found.servers().equals(STUB) ? read(behindStub) : NOTHING;
        return behind.servers().isEmpty() ? found : behind;
    }

    private static Dns read(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException e) {
            return NOTHING;
        }
    }

    /** Of several lines of search domains the last counts. */
    static Dns parse(String text) {
        List<String> servers = new ArrayList<>();
        List<String> searches = List.of();
        List<String> options = new ArrayList<>();
        for (String line : text.lines().toList()) {
            List<String> words = words(line);
            List<String> values = words.isEmpty() ? words : words.subList(1, words.size());
            switch (words.isEmpty() ? "" : words.get(0)) {
                case "nameserver" -> values.stream().limit(1).forEach(servers::add);
                case "search" -> searches = values;
                case "options" -> options.addAll(values);
                default -> {
                    // A comment, or something that containers are not given.
                }
            }
        }
        return new Dns(List.copyOf(servers), List.copyOf(searches), List.copyOf(options));
    }

    private static List<String> words(String line) {
        return line.isBlank() ? List.of() : List.of(line.strip().split("\\s+", -1));
    }
}
