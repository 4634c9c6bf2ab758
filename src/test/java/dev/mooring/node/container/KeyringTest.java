package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.WorldFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KeyringTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        https://index.docker.io/v1/ | busybox                      | true
        index.docker.io             | docker.io/me/app             | true
        docker.io                   | me/app                       | true
        https://index.docker.io/v1/ | registry.example/app         | false
        registry.example            | registry.example/app         | true
        http://registry.example     | registry.example/app         | true
        registry.example            | registry.example:5000/app    | false
        registry.example:5000       | registry.example:5000/app    | true
        https://registry.example/v2/ | registry.example/app        | true
        registry.example/team       | registry.example/team/app    | true
        registry.example/team       | registry.example/other/app   | false
        *.example                   | registry.example/app         | true
        reg*ry.example              | registry.example/app         | true
        *.example                   | a.registry.example/app       | false
        *                           | registry.example/app         | false
        registry.example            | evil-registry.example/app    | false
        """)
    void credentials_matchTheirRegistryOnly(String server, String image, boolean fits)
            throws ImageName.InvalidException {
        Keyring keyring = new Keyring();
        assertThat(keyring.add(secret(ImageManagerTest.secret("s", server, "me", "pa:ss"))))
                .isTrue();
        assertThat(keyring.of(ImageName.parse(image)))
                .allSatisfy(found -> assertThat(found.password()).isEqualTo("pa:ss"))
                .hasSize(fits ? 1 : 0);
    }

    @Test
    void credentials_severalMatch_mostSpecificIsFirst() throws ImageName.InvalidException {
        Keyring keyring = new Keyring();
        keyring.add(secret(ImageManagerTest.secret("a", "r.example", "host", "x")));
        keyring.add(secret(ImageManagerTest.secret("b", "r.example/team/app", "app", "x")));
        keyring.add(secret(ImageManagerTest.secret("c", "r.example/team", "team", "x")));
        assertThat(keyring.of(ImageName.parse("r.example/team/app:1")).stream().map(each -> each.user()))
                .containsExactly("app", "team", "host");
    }

    @Test
    void add_dockercfgWithPlainPassword_returnsTrue() throws ImageName.InvalidException {
        Keyring keyring = new Keyring();
        String config = ImageManagerTest.base64("{\"r.example\": {\"username\": \"me\", \"password\": \"x\"}}");
        assertThat(keyring.add(secret("{kind: Secret, metadata: {name: s}, data: {.dockercfg: " + config + "}}")))
                .isTrue();
        assertThat(keyring.of(ImageName.parse("r.example/a"))).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"'{}'", "'{.dockerconfigjson: \"%%%\"}'", "'{.dockerconfigjson: e30K}'", "'{.dockercfg: bm9uZQ==}'"})
    void add_secretWithoutCredentials_returnsFalse(String data) {
        assertThat(new Keyring().add(secret("{kind: Secret, metadata: {name: s}, data: " + data + "}")))
                .isFalse();
    }

    private static JsonNode secret(String yaml) {
        return WorldFixture.objects(yaml).get(0);
    }
}
