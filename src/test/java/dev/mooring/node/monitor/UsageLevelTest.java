package dev.mooring.node.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsageLevelTest {
    @ParameterizedTest
    @CsvSource({
        "NORMAL,   84.9, NORMAL",
        "NORMAL,   85,   HIGH",
        "NORMAL,   95,   CRITICAL",
        "HIGH,     83,   HIGH",
        "HIGH,     82.9, NORMAL",
        "HIGH,     94.9, HIGH",
        "HIGH,     95,   CRITICAL",
        "CRITICAL, 93,   CRITICAL",
        "CRITICAL, 92.9, HIGH",
        "CRITICAL, 83,   HIGH",
        "CRITICAL, 10,   NORMAL",
        "CRITICAL, 130,  CRITICAL",
    })
    void level_isReachedAtThresholdAndLeftTwoPercentBelow(UsageLevel before, double percent, UsageLevel after) {
        assertThat(before.next(percent)).isEqualTo(after);
    }
}
