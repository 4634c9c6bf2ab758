package dev.mooring.volume.nfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NfsOptionsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "vers=3",
                "vers=4",
                "nfsvers=4.0",
                "nfsvers=4.1",
                "vers=4.2",
                "v4.1",
                "vers=4 minorversion=1",
                "proto=tcp",
                "proto=tcp6",
                "proto=udp6",
                "proto=rdma",
                "tcp",
                "rsize=1048576 wsize=1048576",
                "timeo=600 retrans=2 retry=0 port=2049 mountport=20048",
                "acregmin=3 acregmax=60 acdirmin=30 acdirmax=60",
                "actimeo=0",
                "nconnect=16 max_connect=16",
                "hard",
                "soft",
                "softerr",
                "intr",
                "nointr",
                "nolock",
                "lock",
                "local_lock=all",
                "local_lock=none",
                "noatime nodiratime",
                "relatime",
                "ro",
                "rw",
                "noac",
                "nosharecache",
                "nocto",
                "noresvport",
                "resvport",
                "sec=sys",
                "sec=krb5p",
                "sec=krb5:sys",
                "lookupcache=pos",
                "fsc",
                "fsc=shop",
                "noacl",
                "acl",
                "noexec nosuid nodev exec suid dev",
                "sync",
                "async",
                "_netdev",
                "xprtsec=tls",
                "context=system_u:object_r:container_file_t:s0",
                "clientaddr=10.0.0.7"
            })
    void options_known_areValid(String options) {
        assertThat(NfsOptions.validationError(List.of(options.split(" ", -1)))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "vers=2          | invalid mount option \"vers=2\": \"vers\" takes one of 3, 4, 4.0, 4.1, 4.2, but has"
                        + " \"2\"",
                "vers            | \"vers\" takes one of 3, 4, 4.0, 4.1, 4.2, but has no value",
                "nfsver=4        | NFS volumes have no option \"nfsver\"; did you mean \"nfsvers\"?",
                "rx              | no option \"rx\"; did you mean \"ro\"?",
                "nolok           | no option \"nolok\"; did you mean \"nolock\"?",
                "rsise=8192      | no option \"rsise\"; did you mean \"rsize\"?",
                "timeout=5       | no option \"timeout\"; did you mean \"timeo\"?",
                "HARD            | no option \"HARD\"; see `man 5 nfs`",
                "exec_program=/x | no option \"exec_program\"; see `man 5 nfs`",
                "rsize=big       | \"rsize\" takes a number from 1 to 2147483647, but has \"big\"",
                "rsize=0         | \"rsize\" takes a number from 1",
                "timeo=-1        | \"timeo\" takes a number from 1",
                "timeo=99999999999999999999 | \"timeo\" takes a number from 1",
                "port=65536      | \"port\" takes a number from 0 to 65535",
                "nconnect=17     | \"nconnect\" takes a number from 1 to 16",
                "hard=1          | \"hard\" takes no value, but has \"1\"",
                "sec=krb4        | \"sec\" takes one or, with colons between them, several of sys, krb5",
                "sec=            | \"sec\" takes one or",
                "bg              | \"bg\" would report success before anything is mounted",
                "nofail          | \"nofail\" would report success although nothing is mounted",
                "bind            | \"bind\" does not mount an export",
                "remount         | \"remount\" does not mount an export",
                "addr=10.0.0.1   | \"addr\" would use another server",
                "user            | \"user\" sets which users may mount",
                "hard,suid       | it contains a comma; write each option as a separate entry",
                "-o              | not begin with '-'",
                "--bind          | not begin with '-'",
            })
    void options_invalid_areRejectedWithReason(String option, String message) {
        String error = NfsOptions.validationError(List.of("hard", option)).orElseThrow();

        assertThat(error).startsWith("invalid mount option \"" + option + "\"").contains(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "hard ", "ro\nsuid", "ro\tx", "ro\0", "h\u00e4rd", "ro\u007f"})
    void options_notPrintable_areRejected(String option) {
        String error = NfsOptions.validationError(List.of(option)).orElseThrow();

        assertThat(error).contains("printable").doesNotContainPattern("[\\x00-\\x1f\\x7f]");
    }

    @Test
    void options_tooLong_areRejected() {
        assertThat(NfsOptions.validationError(List.of("fsc=" + "x".repeat(300))))
                .isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"vers=3 nfsvers=4", "vers=4 nfsvers=4", "v3 vers=4.1"})
    void options_twoVersions_areRejected(String options) {
        assertThat(NfsOptions.validationError(List.of(options.split(" ", -1))).orElseThrow())
                .startsWith("invalid mount options: the NFS version is specified twice");
    }

    @Test
    void version_anySpelling_isFound() {
        assertThat(NfsOptions.version(List.of("hard", "vers=3"))).contains("3");
        assertThat(NfsOptions.version(List.of("nfsvers=4.1"))).contains("4.1");
        assertThat(NfsOptions.version(List.of("v4.2", "hard"))).contains("4.2");
        assertThat(NfsOptions.version(List.of("hard", "v"))).isEmpty();
    }

    @Property
    void options_valid_areSingleAndNotFlags(@ForAll String option) {
        if (NfsOptions.validationError(List.of(option)).isEmpty()) {
            assertThat(option).doesNotContain(",", " ", "\n", "\0").doesNotStartWith("-");
        }
    }
}
