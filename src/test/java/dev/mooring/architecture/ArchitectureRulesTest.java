package dev.mooring.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.FailureReport;
import org.junit.jupiter.api.Test;

/** A rule that cannot fail holds nothing: each one is tried on fixtures that break it and on some that must not. */
class ArchitectureRulesTest {

    private static final String ROOT = "dev.mooring.architecture.fixture";
    private static final JavaClasses FIXTURES = new ClassFileImporter().importPackages(ROOT);

    private final ArchitectureRules rules = new ArchitectureRules(ROOT);

    @Test
    void shouldFindArrowsThatTheTableDoesNotHave() {
        assertThat(violations(rules.packagesUseOnlyWhatTheyMay()))
                .contains("model may use [], but not world", "api may use [model, world], but not log")
                .contains("Stray in 'stray'")
                .doesNotContain("WellBehaved", "CommandThatPrints");
    }

    @Test
    void shouldFindFrameworksInTheModel() {
        assertThat(violations(rules.modelIsFreeOfFrameworks()))
                .contains("ModelThatKnowsVertx")
                .doesNotContain("ModelThatKnowsTheWorld");
    }

    @Test
    void shouldFindWhoeverGoesAroundTheLedger() {
        assertThat(violations(rules.onlyTheWorldAppends()))
                .contains("ApiThatAppends.call(", "ApiThatAppends.reference(")
                .doesNotContain("SomeWorld");
    }

    @Test
    void shouldFindTimeIdsAndChanceOfTheMachine() {
        assertThat(violations(rules.timeIdsAndChanceAreHandedIn()))
                .contains("NodeThatAsksTheMachine.now(", "NodeThatAsksTheMachine.nowByReference(")
                .contains("NodeThatAsksTheMachine.millis(", "NodeThatAsksTheMachine.id(")
                .contains("NodeThatAsksTheMachine.chance(", "NodeThatAsksTheMachine.random(")
                .contains("NodeThatAsksTheMachine.sleep(", "NodeThatAsksTheMachine.sleepInUnits(")
                .doesNotContain("WellBehaved", "CommandThatPrints");
    }

    @Test
    void shouldFindWhoeverPrints() {
        assertThat(violations(rules.onlyTheCommandLinePrints()))
                .contains("field <java.lang.System.out>", "field <java.lang.System.err>")
                .doesNotContain("CommandThatPrints");
    }

    @Test
    void shouldFindASecondWayToLog() {
        assertThat(violations(rules.loggingGoesThroughSlf4j())).contains("NodeThatPrints.log(");
    }

    @Test
    void nodesThatKnowControllersAreFound() {
        assertThat(violations(rules.nodesAndControllersMeetInObjectsOnly())).contains("NodeThatKnowsAController.ask(");
    }

    private static String violations(ArchRule rule) {
        FailureReport report = rule.evaluate(FIXTURES).getFailureReport();
        return String.join("\n", report.getDetails());
    }
}
