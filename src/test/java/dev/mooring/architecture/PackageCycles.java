package dev.mooring.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Packages whose dependencies lead back to them, at any level. */
final class PackageCycles extends ArchCondition<JavaClass> {
    private final String root;
    private final Map<String, Set<String>> uses = new TreeMap<>();

    PackageCycles(String root) {
        super("be in packages without cycles");
        this.root = root;
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        if (isOurs(type)) {
            Set<String> targets = uses.computeIfAbsent(packageOf(type), unused -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                    .filter(this::isOurs)
                    .forEach(target -> targets.add(packageOf(target)));
        }
    }

    @Override
    public void finish(ConditionEvents events) {
        for (Set<String> cycle : cycles()) {
            events.add(SimpleConditionEvent.violated(cycle, "Packages depend on each other: " + cycle));
        }
    }

    private Set<Set<String>> cycles() {
        Map<String, Set<String>> reached = new HashMap<>();
        uses.keySet().forEach(each -> reached.put(each, reachableFrom(each)));
        Set<Set<String>> cycles = new HashSet<>();
        for (String each : uses.keySet()) {
            Set<String> cycle = new TreeSet<>(Set.of(each));
            reached.get(each).stream()
                    .filter(other -> reached.getOrDefault(other, Set.of()).contains(each))
                    .forEach(cycle::add);
            if (cycle.size() > 1) {
                cycles.add(cycle);
            }
        }
        return cycles;
    }

    private Set<String> reachableFrom(String start) {
        Set<String> reached = new HashSet<>();
        List<String> open = new ArrayList<>(uses.get(start));
        while (!open.isEmpty()) {
            String next = open.remove(open.size() - 1);
            if (reached.add(next)) {
                open.addAll(uses.getOrDefault(next, Set.of()));
            }
        }
        return reached;
    }

    private boolean isOurs(JavaClass type) {
        return type.getPackageName().startsWith(root + ".");
    }

    private String packageOf(JavaClass type) {
        return type.getPackageName().substring(root.length() + 1);
    }
}
