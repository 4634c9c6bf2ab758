package dev.mooring.architecture;

import static com.tngtech.archunit.lang.conditions.ArchConditions.accessTargetWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The rules of ARCHITECTURE.md for the packages below {@code root}. The root is a parameter so that the same rules can be
 * tried on fixtures that break them. No rule minds a package that is not there yet.
 */
public final class ArchitectureRules {

    private static final Set<String> ASKS_THE_MACHINE = Set.of(
            "java.lang.Thread.sleep",
            "java.util.concurrent.TimeUnit.sleep",
            "java.lang.System.currentTimeMillis",
            "java.time.Clock.systemUTC",
            "java.time.Clock.systemDefaultZone",
            "java.util.UUID.randomUUID",
            "java.lang.Math.random",
            "java.util.concurrent.ThreadLocalRandom.current");

    /** {@code Instant.now(clock)} and {@code new Random(seed)} are what the rule wants to see. */
    private static final Set<String> ASKS_THE_MACHINE_WITHOUT_ARGUMENTS = Set.of(
            "java.time.Instant.now",
            "java.time.LocalDate.now",
            "java.time.LocalTime.now",
            "java.time.LocalDateTime.now",
            "java.time.OffsetDateTime.now",
            "java.time.ZonedDateTime.now",
            "java.util.Random.<init>");

    private final String root;

    public ArchitectureRules(String root) {
        this.root = root;
    }

    public ArchRule packagesUseOnlyWhatTheyMay() {
        return classes()
                .that()
                .resideInAPackage(root + "..")
                .should(new PackageArrows(root))
                .as("packages use only what the table of ARCHITECTURE.md lets them use")
                .allowEmptyShould(true);
    }

    public ArchRule nodesAndControllersMeetInObjectsOnly() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".node..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root + ".control.(*)..")
                .because("a node runs on the controllers' loop, but knows no controller (ADR 14)")
                .allowEmptyShould(true);
    }

    public ArchRule modelIsFreeOfFrameworks() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".model..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.vertx..", "io.reactivex..", "io.netty..")
                .because("the model is pure values")
                .allowEmptyShould(true);
    }

    /** By name, so that it holds before and after the interface moves or grows. */
    public ArchRule onlyTheWorldAppends() {
        return noClasses()
                .that()
                .resideOutsideOfPackages(root + ".world..", root + ".log..")
                .should(accessTargetWhere(access("EventLog.append is called", this::appends)))
                .because("the ledger is the only writer (decision 1): send it a proposal")
                .allowEmptyShould(true);
    }

    public ArchRule timeIdsAndChanceAreHandedIn() {
        return noClasses()
                .that(areNotTheCommandLine())
                .should(accessTargetWhere(
                        access("the machine's time or chance is asked", ArchitectureRules::asksTheMachine)))
                .because("time, ids and chance come from outside (decision 10): take a Clock, Ids or Random")
                .allowEmptyShould(true);
    }

    public ArchRule onlyTheCommandLinePrints() {
        return noClasses()
                .that(areNotTheCommandLine())
                .should(accessTargetWhere(access("System.out or System.err is used", ArchitectureRules::prints)))
                .because("stdout belongs to the command line; everything else logs")
                .allowEmptyShould(true);
    }

    public ArchRule loggingGoesThroughSlf4j() {
        return noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.util.logging..")
                .because("there is one way to log: SLF4J")
                .allowEmptyShould(true);
    }

    private DescribedPredicate<JavaClass> areNotTheCommandLine() {
        return DescribedPredicate.describe("are neither in cli nor Main", type -> {
            String name = type.getName();
            boolean main = name.equals(root + ".Main") || name.startsWith(root + ".Main$");
            return !main && !name.startsWith(root + ".cli.");
        });
    }

    private boolean appends(JavaAccess<?> access) {
        return access.getName().equals("append") && access.getTargetOwner().isAssignableTo(root + ".log.EventLog");
    }

    private static boolean prints(JavaAccess<?> access) {
        return access instanceof JavaFieldAccess
                && access.getTargetOwner().isEquivalentTo(System.class)
                && Set.of("out", "err").contains(access.getName());
    }

    private static boolean asksTheMachine(JavaAccess<?> access) {
        String target = access.getTargetOwner().getName() + "." + access.getName();
        return ASKS_THE_MACHINE.contains(target)
                || (ASKS_THE_MACHINE_WITHOUT_ARGUMENTS.contains(target) && takesNothing(access));
    }

    private static boolean takesNothing(JavaAccess<?> access) {
        return access.getTarget() instanceof CodeUnitAccessTarget target
                && target.getRawParameterTypes().isEmpty();
    }

    private static DescribedPredicate<JavaAccess<?>> access(String description, Predicate<JavaAccess<?>> test) {
        return DescribedPredicate.describe(description, test);
    }
}
