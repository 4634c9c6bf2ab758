package dev.mooring.api.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CertificateExtensionsTest {
    @ParameterizedTest
    @CsvSource({
        "localhost, 30140603551d11040d300b82096c6f63616c686f7374",
        "192.0.2.255, 300f0603551d11040830068704c00002ff",
        "::1, 301b0603551d1104143012871000000000000000000000000000000001",
        "2001:db8:0:0:0:0:0:ff, 301b0603551d1104143012871020010db80000000000000000000000ff",
        "höst, 300f0603551d11040830068204683f7374" // non-ASCII characters are replaced
    })
    void alternativeNames_hostNameOrAddress_isEncoded(String host, String expected) throws Exception {
        assertThat(hex(CertificateExtensions.alternativeNames(List.of(host)))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"256.0.0.1", "1.2.3.999", "fe80::1%lo", "1:2", "::g"})
    void alternativeNames_invalidAddress_throws(String host) {
        assertThatThrownBy(() -> CertificateExtensions.alternativeNames(List.of(host)))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining("\"" + host + "\"");
    }

    @Test
    void constraints_defaultValues_areOmitted() {
        assertThat(hex(CertificateExtensions.authorityConstraints()))
                .isEqualTo("30120603551d130101ff040830060101ff020100");
        assertThat(hex(CertificateExtensions.leafConstraints())).isEqualTo("300c0603551d130101ff04023000");
        assertThat(hex(CertificateExtensions.serverAuthUsage()))
                .isEqualTo("30130603551d25040c300a06082b06010505070301");
    }

    @Test
    void subjectKeyIdentifier_rsaKey_throws() throws Exception {
        var rsa = KeyPairGenerator.getInstance("RSA").generateKeyPair().getPublic();

        assertThatThrownBy(() -> CertificateExtensions.subjectKeyIdentifier(rsa))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining("RSA");
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
