package dev.mooring.volume.nfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.volume.Access;
import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumeSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NfsVolumeTest {
    private static NfsVolume volume(String server, String path, String... options) throws VolumeException {
        return NfsVolume.of(NfsPluginFixture.volume(server, path, options), Access.READ_WRITE);
    }

    @ParameterizedTest
    @CsvSource({
        "nas,/exports/data,nas:/exports/data",
        "nas.example.com,/,nas.example.com:/",
        "nas_1,//exports///data/,nas_1:/exports/data",
        "10.0.0.1,/a/./b,10.0.0.1:/a/b",
        "fd00::1,/x,[fd00::1]:/x",
        "[fd00::1],/x,[fd00::1]:/x",
        "fe80::1%eth0,/x,[fe80::1%eth0]:/x",
        "::ffff:10.0.0.1,/x,[::ffff:10.0.0.1]:/x",
        "nas,/with space,nas:/with space",
        "nas,/a..b/...,nas:/a..b/..."
    })
    void source_serverAndPath_isFormattedForMount(String server, String path, String source) throws VolumeException {
        assertThat(volume(server, path).source()).isEqualTo(source);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-o",
                "--bind",
                "nas:/x",
                "nas,other",
                "nas other",
                "nas/x",
                "nas\n",
                "nas\0",
                "[nas]",
                "[",
                "::1::2",
                "fd00::1%",
                "fd00::1%-x",
                "1:2",
                "gggg::1",
                "[fd00::1",
                "n\u00e4s",
                "$(reboot)",
                "nas;reboot",
                "@nas",
                "nas-"
            })
    void volume_invalidServer_fails(String server) {
        VolumeException e = catchThrowableOfType(VolumeException.class, () -> volume(server, "/x"));

        assertThat(e.reason()).isEqualTo("InvalidServer");
        assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(e).hasMessageContaining("nfs.server").hasMessageNotContaining("\n");
    }

    @Test
    void serverName_tooLong_isInvalid() {
        assertThat(ServerName.parse("n".repeat(253))).isPresent();
        assertThat(ServerName.parse("n".repeat(254))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "exports", "/a/../b", "/..", "..", "/a/..", "/a\nb", "/a\0b", "/a\u007f"})
    void volume_invalidPath_fails(String path) {
        VolumeException e = catchThrowableOfType(VolumeException.class, () -> volume("nas", path));

        assertThat(e.reason()).isEqualTo("InvalidPath");
        assertThat(e).hasMessageContaining("nfs.path").hasMessageNotContaining("\n");
    }

    @Test
    void volume_unknownOption_fails() {
        VolumeException e = catchThrowableOfType(VolumeException.class, () -> volume("nas", "/x", "nolok"));

        assertThat(e.reason()).isEqualTo("InvalidOptions");
        assertThat(e).hasMessageContaining("did you mean \"nolock\"?");
    }

    @Test
    void mountOptions_withoutRetry_addsRetry0() throws VolumeException {
        assertThat(volume("nas", "/x", "vers=4.1", "hard").mountOptions())
                .containsExactly("vers=4.1", "hard", "nosuid", "nodev", "retry=0");
        assertThat(volume("nas", "/x", "retry=1").mountOptions()).containsExactly("retry=1", "nosuid", "nodev");
    }

    @Test
    void mountOptions_withoutSuidAndDev_addsNosuidAndNodev() throws VolumeException {
        assertThat(volume("nas", "/x", "suid").mountOptions()).containsExactly("suid", "nodev", "retry=0");
        assertThat(volume("nas", "/x", "dev", "suid").mountOptions()).containsExactly("dev", "suid", "retry=0");
        assertThat(volume("nas", "/x", "suid", "nosuid", "defaults").mountOptions())
                .containsExactly("suid", "nosuid", "defaults", "nodev", "retry=0");
        assertThat(volume("nas", "/x", "nosuid", "suid").mountOptions())
                .containsExactly("nosuid", "suid", "nodev", "retry=0");
    }

    @Test
    void access_readOnlyInSourceOrMountOptionsOrPod_isReadOnly() throws VolumeException {
        VolumeSpec plain = NfsPluginFixture.volume("nas", "/x");
        VolumeSpec source = NfsPluginFixture.volume("nas", "/x");
        ((ObjectNode) source.source().path("nfs")).put("readOnly", true);

        assertThat(NfsVolume.of(plain, Access.READ_ONLY).mountOptions())
                .containsExactly("nosuid", "nodev", "ro", "retry=0");
        assertThat(NfsVolume.of(source, Access.READ_WRITE).access()).isEqualTo(Access.READ_ONLY);
        assertThat(volume("nas", "/x", "ro").access()).isEqualTo(Access.READ_ONLY);
        assertThat(volume("nas", "/x", "ro", "rw").access()).isEqualTo(Access.READ_WRITE);
        assertThat(NfsVolume.of(NfsPluginFixture.volume("nas", "/x", "rw"), Access.READ_ONLY)
                        .mountOptions())
                .containsExactly("nosuid", "nodev", "ro", "retry=0");
        assertThat(volume("nas", "/x").access()).isEqualTo(Access.READ_WRITE);
    }

    @ParameterizedTest
    @CsvSource({
        "nas:/exports/data,true,true",
        "nas:/exports/data/,true,true",
        "nas:/exports/data2,false,true",
        "nas:/,false,true",
        "nas2:/exports/data,false,false",
        "nas,false,false",
        "nas:exports/data,false,false",
        "tmpfs,false,false"
    })
    void isSource_comparesServerAndPath(String source, boolean same, boolean sameServer) throws VolumeException {
        NfsVolume volume = volume("nas", "/exports/data");

        assertThat(volume.isSource(source)).isEqualTo(same);
        assertThat(volume.isOnServer(source)).isEqualTo(sameServer);
    }

    @Test
    void serverName_key_isNormalized() {
        assertThat(RemoteServers.key("[FD00::1]")).isEqualTo("fd00::1");
        assertThat(RemoteServers.key("NAS.example.com")).isEqualTo("nas.example.com");
    }
}
