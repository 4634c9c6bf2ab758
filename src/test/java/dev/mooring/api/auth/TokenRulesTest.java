package dev.mooring.api.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Violations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenRulesTest {
    private static final String HASH = "0123456789abcdef".repeat(4);

    private static ObjectNode token(String spec) {
        ObjectNode object = AuthWorldFixture.json("{'metadata':{'name':'ci'},'spec':" + spec + "}");
        ObjectNode fields = (ObjectNode) object.get("spec");
        if (!fields.has("sha256")) {
            fields.put("sha256", HASH);
        }
        new TokenRules().applyDefaults(object);
        return object;
    }

    private static Violations violations(ObjectNode object) {
        Violations violations = new Violations();
        new TokenRules().validate(object, violations);
        return violations;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'role':'admin'}",
                "{'role':'view'}",
                "{'role':'view','namespaces':[]}",
                "{'role':'view','namespaces':['a','b-1'],'expires':'2026-01-31T12:00:00Z','note':'x'}",
                "{'role':'edit','namespaces':['*']}",
                "{'role':'node'}",
                "{'role':'node','user':'system:node:n1'}",
                "{'serviceAccount':{'namespace':'a','name':'b','uid':'c'}}",
                "{'user':'system:serviceaccount:a:b','serviceAccount':{'namespace':'a','name':'b','uid':'c'}}"
            })
    void validate_tokenAcceptedByAuthentication_hasNoViolations(String spec) {
        ObjectNode object = token(spec);
        assertThat(violations(object).all()).isEmpty();
        assertThat(TokenObject.parse(object)).isPresent();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | spec.role: Required value",
                "{'role':'root'} | spec.role: Unsupported value: \"root\": supported values: \"admin\", \"edit\","
                        + " \"node\", \"view\"",
                "{'role':'edit'} | spec.namespaces: Required value: name at least one, or \"*\" for all",
                "{'role':'admin','namespaces':['a']} | spec.namespaces: Forbidden: role \"admin\" applies to"
                        + " all namespaces",
                "{'role':'view','namespaces':['a','B']} | spec.namespaces[1]: Invalid value: \"B\": must be the name"
                        + " of a namespace, or \"*\"",
                "{'role':'view','user':'system:masters'} | spec.user: Invalid value: \"system:masters\": must not"
                        + " begin with \"system:\"",
                "{'role':'node','user':'n1'} | spec.user: Invalid value: \"n1\": must be system:node: and the name of"
                        + " the Node",
                "{'role':'view','expires':'soon'} | spec.expires: Invalid value: \"soon\": must be a time such as"
                        + " 2026-01-31T12:00:00Z",
                "{'role':'view','sha256':''} | spec.sha256: Required value: the SHA-256 of the token in hexadecimal"
                        + " digits",
                "{'role':'view','sha256':'mrg_x'} | spec.sha256: Forbidden: must be 64 lower-case hexadecimal digits",
                "{'role':'view','serviceAccount':{'namespace':'a','name':'b','uid':'c'}} | spec.role: Forbidden: the"
                        + " role of a service account is set by its annotation mooring.dev/role",
                "{'serviceAccount':{'namespace':'a','name':'b'}} | spec.serviceAccount.uid: Required value",
                "{'user':'erin','serviceAccount':{'namespace':'a','name':'b','uid':'c'}} | spec.user: Invalid value:"
                        + " \"erin\": must be the name of the service account"
            })
    void validate_invalidToken_reportsReason(String spec, String message) {
        assertThat(violations(token(spec)).text()).isEqualTo(message);
    }

    @Test
    void applyDefaults_userOmitted_isNamedAfterToken() {
        assertThat(token("{'role':'view'}").at("/spec/user").asText()).isEqualTo("ci");
        assertThat(token("{'role':'node'}").at("/spec/user").asText()).isEqualTo("system:node:ci");
        assertThat(token("{'role':'view','user':'erin'}").at("/spec/user").asText())
                .isEqualTo("erin");
    }
}
