package dev.mooring.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.Map;

/** The table "Packages" of ARCHITECTURE.md as a condition. A package that is not in the table violates it, too. */
final class PackageArrows extends ArchCondition<JavaClass> {

    private static final Map<String, List<String>> MAY_USE = Map.ofEntries(
            Map.entry("model", List.of()),
            Map.entry("log", List.of("model")),
            Map.entry("world", List.of("model", "log")),
            Map.entry("api", List.of("model", "world")),
            Map.entry("control", List.of("model", "world")),
            Map.entry("node", List.of("model", "world", "control", "volume", "runtime", "host")),
            Map.entry("volume", List.of("model", "host")),
            Map.entry("host", List.of("model")),
            Map.entry("runtime", List.of("model")),
            Map.entry("replay", List.of("model", "world", "log", "control", "node")),
            Map.entry("chaos", List.of("world")),
            Map.entry("volumedriver", List.of("model", "world", "api", "node", "runtime")));

    /** Packages without restrictions; Main is in the root package itself. */
    private static final List<String> USE_EVERYTHING = List.of("server", "cli", "");

    private final String root;

    PackageArrows(String root) {
        super("use only allowed packages");
        this.root = root;
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        String from = packageOf(type);
        if (USE_EVERYTHING.contains(from)) {
            return;
        }
        if (!MAY_USE.containsKey(from)) {
            String found = type.getName() + " in '" + from + "'";
            events.add(SimpleConditionEvent.violated(type, "Package is not in ARCHITECTURE.md's table: " + found));
            return;
        }
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
            check(from, dependency, events);
        }
    }

    private void check(String from, Dependency dependency, ConditionEvents events) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (!isOurs(target)) {
            return;
        }
        String to = packageOf(target);
        List<String> allowed = MAY_USE.get(from);
        if (!to.equals(from) && !allowed.contains(to)) {
            String message =
                    String.format("%s may use %s, but not %s: %s", from, allowed, to, dependency.getDescription());
            events.add(SimpleConditionEvent.violated(dependency, message));
        }
    }

    private boolean isOurs(JavaClass type) {
        return (type.getPackageName() + ".").startsWith(root + ".");
    }

    /** Returns the part of the package's name after the root: {@code volume} for {@code dev.mooring.volume.nfs}. */
    private String packageOf(JavaClass type) {
        String name = type.getPackageName();
        return name.equals(root) ? "" : name.substring(root.length() + 1).split("\\.", 2)[0];
    }
}
