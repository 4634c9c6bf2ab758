package dev.mooring.api.rules.pod;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "255.255.255.255",
                "::",
                "::1",
                "1::",
                "fe80::1:2",
                "1:2:3:4:5:6:7:8",
                "::ffff:1.2.3.4",
                "64:ff9b::1.2.3.4"
            })
    void isAddress_validAddress_isTrue(String text) {
        assertThat(IpAddresses.isAddress(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1.2.3",
                "1.2.3.4.5",
                "1.2.3.256",
                "1.2.3.",
                "a.b.c.d",
                ":",
                ":::",
                "1::2::3",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "12345::",
                "1.2.3.4::",
                "g::",
                "1:2:3:4:5:6:7::8:9"
            })
    void isAddress_otherText_isFalse(String text) {
        assertThat(IpAddresses.isAddress(text)).isFalse();
    }
}
