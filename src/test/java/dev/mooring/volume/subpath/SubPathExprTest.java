package dev.mooring.volume.subpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.volume.VolumeException;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubPathExprTest {
    private static final Map<String, String> ENVIRONMENT = Map.of(
            "POD", "web-0", "NS", "shop", "EMPTY", "", "ROOT", "/", "UP", "..", "NESTED", "$(POD)", "MY.VAR", "dotted");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        $(POD)              | web-0
        $(NS)/$(POD)/log    | shop/web-0/log
        a$(POD)b            | aweb-0b
        $$(POD)             | $(POD)
        $$$(POD)            | $web-0
        $$$$(POD)           | $$(POD)
        $POD                | $POD
        $(POD               | $(POD
        a$                  | a$
        $$                  | $
        $)x                 | $)x
        $(NESTED)           | $(POD)
        $(MY.VAR)           | dotted
        ü/$(POD)            | ü/web-0
        plain               | plain
        """)
    void expand_expression_hasResultOfKubernetes(String expr, String expected) throws VolumeException {
        assertThat(SubPathExpr.expand(expr, ENVIRONMENT)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        $(NONE)             | missing value for NONE
        $(Z)/$(A)/$(Z)      | missing value for A, Z
        x/$(EMPTY)          | missing value for EMPTY
        $()                 | 'missing value for '
        $($(POD))           | missing value for $(POD
        $(ROOT)etc          | error SubPath `/etc` must not be an absolute path
        $(UP)/etc           | unable to provision SubPath `../etc`: must not contain '..'
        a/$(UP)/b           | unable to provision SubPath `a/../b`: must not contain '..'
        /$(POD)             | error SubPath `/web-0` must not be an absolute path
        """)
    void expand_invalidExpression_failsWithMessageOfKubelet(String expr, String message) {
        VolumeException e = catchThrowableOfType(VolumeException.class, () -> SubPathExpr.expand(expr, ENVIRONMENT));
        assertThat(e).hasMessage(message.strip().equals("missing value for") ? "missing value for " : message);
        assertThat(e.failureState()).isEqualTo(VolumeException.FailureState.CLEAN);
    }
}
