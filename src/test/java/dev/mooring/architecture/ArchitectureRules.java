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
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/**
 * Rules of ARCHITECTURE.md for the packages below {@code root}. The root is a parameter, so that the rules can be
 * tested on fixtures that violate them. Missing packages violate no rule.
 */
public final class ArchitectureRules {

    private static final Set<String> AMBIENT_CALLS = Set.of(
            "java.lang.Thread.sleep",
            "java.util.concurrent.TimeUnit.sleep",
            "java.lang.System.currentTimeMillis",
            "java.time.Clock.systemUTC",
            "java.time.Clock.systemDefaultZone",
            "java.util.UUID.randomUUID",
            "java.lang.Math.random",
            "java.util.concurrent.ThreadLocalRandom.current");

    /**
     * Calls that are forbidden only without arguments: {@code Instant.now(clock)} and {@code new Random(seed)} are
     * allowed.
     */
    private static final Set<String> AMBIENT_WITHOUT_ARGUMENTS = Set.of(
            "java.time.Instant.now",
            "java.time.LocalDate.now",
            "java.time.LocalTime.now",
            "java.time.LocalDateTime.now",
            "java.time.OffsetDateTime.now",
            "java.time.ZonedDateTime.now",
            "java.util.Random.<init>");

    /** Types that start work, or write to the World. */
    private static final Set<String> STARTS_WORK = Set.of(
            "EffectExecutor",
            "KeyedExecutor",
            "DurableWriter",
            "WorldPort",
            "Ledger",
            "ContainerRuntime",
            "ImageManager",
            "Scheduler");

    private final String root;

    public ArchitectureRules(String root) {
        this.root = root;
    }

    public ArchRule packagesUseOnlyAllowedPackages() {
        return classes()
                .that()
                .resideInAPackage(root + "..")
                .should(new PackageArrows(root))
                .as("packages use only packages that the table of ARCHITECTURE.md allows")
                .allowEmptyShould(true);
    }

    public ArchRule nodesDoNotDependOnControllers() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".node..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root + ".control.(*)..")
                .because("a node runs on the controllers' loop, but depends on no controller (ADR 14)")
                .allowEmptyShould(true);
    }

    /** Matches the program's types by name, so that the rule can be tested on fixtures. */
    public ArchRule controllersStartNothing() {
        return noClasses()
                .that(DescribedPredicate.describe("implement Controller", ArchitectureRules::isController))
                .should()
                .dependOnClassesThat(DescribedPredicate.describe("start work", ArchitectureRules::startsWork))
                .because("a controller decides on effects and starts none (ADR 37)")
                .allowEmptyShould(true);
    }

    private static boolean isController(JavaClass type) {
        return type.getAllRawInterfaces().stream()
                .anyMatch(each -> each.getSimpleName().equals("Controller"));
    }

    private static boolean startsWork(JavaClass type) {
        return type.isAssignableTo(Executor.class)
                || type.isAssignableTo(Thread.class)
                || STARTS_WORK.contains(type.getSimpleName())
                || type.getAllRawInterfaces().stream().anyMatch(each -> STARTS_WORK.contains(each.getSimpleName()));
    }

    public ArchRule modelUsesNoFrameworks() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".model..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.vertx..", "io.reactivex..", "io.netty..")
                .because("the model consists of pure values")
                .allowEmptyShould(true);
    }

    /** Matches by name, so that the rule stays valid when the interface moves or grows. */
    public ArchRule onlyWorldAppendsToLog() {
        return noClasses()
                .that()
                .resideOutsideOfPackages(root + ".world..", root + ".log..")
                .should(accessTargetWhere(access("EventLog.append is called", this::appends)))
                .because("the ledger is the only writer (decision 1): send it a proposal")
                .allowEmptyShould(true);
    }

    public ArchRule timeIdsAndRandomnessAreInjected() {
        return noClasses()
                .that(areNotTheProcess())
                .should(accessTargetWhere(
                        access("ambient time or randomness is used", ArchitectureRules::isAmbientCall)))
                .because("time, ids and randomness are injected (decision 10): use a Clock, IdGenerator or Random")
                .allowEmptyShould(true);
    }

    public ArchRule onlyCommandLinePrints() {
        return noClasses()
                .that(areNotTheProcess())
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

    public ArchRule packagesAreFreeOfCycles() {
        return classes()
                .should(new PackageCycles(root))
                .because("a package in a cycle cannot be understood, tested or moved by itself")
                .allowEmptyShould(true);
    }

    /** Forbids a type that has the simple name of another top-level type. */
    public ArchRule typeNamesMeanOneThing() {
        return classes()
                .should(new UniqueTypeNames())
                .because("one type name means one thing in the whole program")
                .allowEmptyShould(true);
    }

    private DescribedPredicate<JavaClass> areNotTheProcess() {
        return DescribedPredicate.describe("are neither in server nor in cli nor Main", type -> {
            String name = type.getName();
            boolean main = name.equals(root + ".Main") || name.startsWith(root + ".Main$");
            return !main && !name.startsWith(root + ".cli.") && !name.startsWith(root + ".server.");
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

    private static boolean isAmbientCall(JavaAccess<?> access) {
        String target = access.getTargetOwner().getName() + "." + access.getName();
        return AMBIENT_CALLS.contains(target)
                || (AMBIENT_WITHOUT_ARGUMENTS.contains(target) && hasNoParameters(access));
    }

    private static boolean hasNoParameters(JavaAccess<?> access) {
        return access.getTarget() instanceof CodeUnitAccessTarget target
                && target.getRawParameterTypes().isEmpty();
    }

    private static DescribedPredicate<JavaAccess<?>> access(String description, Predicate<JavaAccess<?>> test) {
        return DescribedPredicate.describe(description, test);
    }
}
