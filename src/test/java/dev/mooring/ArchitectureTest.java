package dev.mooring;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.mooring.architecture.ArchitectureRules;

/** Holds the program against the arrows of ARCHITECTURE.md. That the rules can fail is shown by ArchitectureRulesTest. */
@AnalyzeClasses(packages = "dev.mooring", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    private static final ArchitectureRules RULES = new ArchitectureRules("dev.mooring");

    @ArchTest
    static final ArchRule packagesUseOnlyWhatTheyMay = RULES.packagesUseOnlyWhatTheyMay();

    @ArchTest
    static final ArchRule nodesAndControllersMeetInObjectsOnly = RULES.nodesAndControllersMeetInObjectsOnly();

    @ArchTest
    static final ArchRule modelIsFreeOfFrameworks = RULES.modelIsFreeOfFrameworks();

    @ArchTest
    static final ArchRule onlyTheLedgerAppends = RULES.onlyTheWorldAppends();

    @ArchTest
    static final ArchRule timeIdsAndChanceAreHandedIn = RULES.timeIdsAndChanceAreHandedIn();

    @ArchTest
    static final ArchRule onlyTheCommandLinePrints = RULES.onlyTheCommandLinePrints();

    @ArchTest
    static final ArchRule loggingGoesThroughSlf4j = RULES.loggingGoesThroughSlf4j();
}
