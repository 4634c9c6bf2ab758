package dev.mooring;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.mooring.architecture.ArchitectureRules;

/** Checks the program against the rules of ARCHITECTURE.md; ArchitectureRulesTest shows that the rules can fail. */
@AnalyzeClasses(packages = "dev.mooring", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    private static final ArchitectureRules RULES = new ArchitectureRules("dev.mooring");

    @ArchTest
    static final ArchRule packagesUseOnlyAllowedPackages = RULES.packagesUseOnlyAllowedPackages();

    @ArchTest
    static final ArchRule nodesDoNotDependOnControllers = RULES.nodesDoNotDependOnControllers();

    @ArchTest
    static final ArchRule controllersStartNothing = RULES.controllersStartNothing();

    @ArchTest
    static final ArchRule modelUsesNoFrameworks = RULES.modelUsesNoFrameworks();

    @ArchTest
    static final ArchRule onlyWorldAppendsToLog = RULES.onlyWorldAppendsToLog();

    @ArchTest
    static final ArchRule timeIdsAndRandomnessAreInjected = RULES.timeIdsAndRandomnessAreInjected();

    @ArchTest
    static final ArchRule onlyCommandLinePrints = RULES.onlyCommandLinePrints();

    @ArchTest
    static final ArchRule loggingGoesThroughSlf4j = RULES.loggingGoesThroughSlf4j();

    @ArchTest
    static final ArchRule packagesAreFreeOfCycles = RULES.packagesAreFreeOfCycles();

    @ArchTest
    static final ArchRule typeNamesMeanOneThing = RULES.typeNamesMeanOneThing();
}
