package dev.mooring.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.FailureReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that each rule reports fixtures that violate it and accepts others. */
class ArchitectureRulesTest {

    private static final String ROOT = "dev.mooring.architecture.fixture";
    private static final JavaClasses FIXTURES = new ClassFileImporter().importPackages(ROOT);

    private final ArchitectureRules rules = new ArchitectureRules(ROOT);

    @Test
    void packageRule_dependencyNotInTable_isReported() {
        assertThat(violations(rules.packagesUseOnlyAllowedPackages()))
                .contains("model may use [], but not world", "api may use [model, world], but not log")
                .contains("Stray in 'stray'")
                .doesNotContain("WellBehaved", "CommandThatPrints");
    }

    @Test
    void modelRule_modelUsesFramework_isReported() {
        assertThat(violations(rules.modelUsesNoFrameworks()))
                .contains("ModelThatKnowsVertx")
                .doesNotContain("ModelThatKnowsTheWorld");
    }

    @Test
    void appendRule_apiAppendsToLog_isReported() {
        assertThat(violations(rules.onlyWorldAppendsToLog()))
                .contains("ApiThatAppends.call(", "ApiThatAppends.reference(")
                .doesNotContain("SomeWorld");
    }

    @Test
    void injectionRule_ambientTimeIdsAndRandomness_areReported() {
        assertThat(violations(rules.timeIdsAndRandomnessAreInjected()))
                .contains("NodeThatAsksTheMachine.now(", "NodeThatAsksTheMachine.nowByReference(")
                .contains("NodeThatAsksTheMachine.millis(", "NodeThatAsksTheMachine.id(")
                .contains("NodeThatAsksTheMachine.chance(", "NodeThatAsksTheMachine.random(")
                .contains("NodeThatAsksTheMachine.sleep(", "NodeThatAsksTheMachine.sleepInUnits(")
                .doesNotContain("WellBehaved", "CommandThatPrints");
    }

    @Test
    void printRule_nodePrints_isReported() {
        assertThat(violations(rules.onlyCommandLinePrints()))
                .contains("field <java.lang.System.out>", "field <java.lang.System.err>")
                .doesNotContain("CommandThatPrints");
    }

    @Test
    void loggingRule_javaUtilLogging_isReported() {
        assertThat(violations(rules.loggingGoesThroughSlf4j())).contains("NodeThatPrints.log(");
    }

    @Test
    void controllerRule_nodeUsesController_isReported() {
        assertThat(violations(rules.nodesDoNotDependOnControllers())).contains("NodeThatKnowsAController.ask(");
    }

    @Test
    void effectRule_controllerUsesExecutor_isReported() {
        assertThat(violations(rules.controllersStartNothing()))
                .contains("ControllerThatStartsWork.reconcile(", "ControllerThatStartsWork.executor")
                .doesNotContain("WellBehaved");
    }

    @Test
    void cycleRule_packagesDependOnEachOther_areReported() {
        assertThat(violations(rules.packagesAreFreeOfCycles()))
                .contains("Packages depend on each other: [cli, cli.client]")
                .doesNotContain("control");
    }

    @Test
    void nameRule_twoTypesOfOneName_areReported() {
        assertThat(violations(rules.typeNamesMeanOneThing()).lines())
                .containsExactlyInAnyOrder(
                        "Name is used twice: " + ROOT + ".stray.Stray, " + ROOT + ".cli.client.Stray",
                        "Name is used twice: " + ROOT + ".stray.Stray, " + ROOT
                                + ".cli.client.ClientThatKnowsTheCommand$Stray");
    }

    @Test
    void topLevelTypes_ofProgramAndTests_haveDifferentNames() throws IOException {
        Map<String, Path> files = new HashMap<>();
        try (Stream<Path> sources = Files.walk(Path.of("src"))) {
            assertThat(sources.filter(file -> file.toString().endsWith(".java"))
                            .filter(file -> !file.endsWith("package-info.java")
                                    && !file.toString().contains("fixture"))
                            .filter(file -> files.putIfAbsent(file.getFileName().toString(), file) != null))
                    .isEmpty();
        }
        assertThat(files).hasSizeGreaterThan(1000);
    }

    private static String violations(ArchRule rule) {
        FailureReport report = rule.evaluate(FIXTURES).getFailureReport();
        return String.join("\n", report.getDetails());
    }
}
