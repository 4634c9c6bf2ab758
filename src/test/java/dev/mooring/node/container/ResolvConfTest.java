package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.runtime.ContainerSpec.Dns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ResolvConfTest {
    @TempDir
    Path directory;

    @Test
    void parse_readsServersSearchesAndOptions() {
        assertThat(ResolvConf.parse("""
            # made by hand
            ; too
            nameserver 10.0.0.1
            \tnameserver  fe80::1 trailing
            domain ignored.example
            search first.example

            search a.example   b.example
            options ndots:2 timeout:1
            options rotate
            nameserver
            """))
                .isEqualTo(new Dns(
                        List.of("10.0.0.1", "fe80::1"),
                        List.of("a.example", "b.example"),
                        List.of("ndots:2", "timeout:1", "rotate")));
    }

    @Test
    void read_onlyLocalStubResolver_usesUpstreamFile() throws IOException {
        Path usual = Files.writeString(directory.resolve("usual"), "nameserver 127.0.0.53\nsearch stub\n");
        Path upstream = directory.resolve("behind");

        assertThat(new ResolvConf(usual, upstream).read().servers()).containsExactly("127.0.0.53");

        Files.writeString(upstream, "nameserver 9.9.9.9\n");

        assertThat(new ResolvConf(usual, upstream).read().servers()).containsExactly("9.9.9.9");

        Files.writeString(usual, "nameserver 1.1.1.1\n");

        assertThat(new ResolvConf(usual, upstream).read().servers()).containsExactly("1.1.1.1");
    }

    @Test
    void read_missingFiles_isEmpty() {
        Path none = directory.resolve("none");

        assertThat(new ResolvConf(none, none).read()).isEqualTo(new Dns(List.of(), List.of(), List.of()));
    }
}
