package dev.mooring.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * A top-level type's simple name is the name of no other type, nested or not. Two nested types may have the same name:
 * their outer types distinguish {@code Proposal.Builder} from {@code FieldSet.Builder}.
 */
final class UniqueTypeNames extends ArchCondition<JavaClass> {
    private final Map<String, JavaClass> topLevel = new HashMap<>();

    UniqueTypeNames() {
        super("have a simple name that no other top-level type has");
    }

    @Override
    public void init(Collection<JavaClass> types) {
        types.stream()
                .filter(JavaClass::isTopLevelClass)
                .sorted((one, other) -> other.getName().compareTo(one.getName()))
                .forEach(type -> topLevel.putIfAbsent(type.getSimpleName(), type));
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        JavaClass owner = topLevel.get(type.getSimpleName());
        if (owner != null && !owner.equals(type) && !type.getSimpleName().equals("package-info")) {
            String message = "Name is used twice: " + owner.getName() + ", " + type.getName();
            events.add(SimpleConditionEvent.violated(type, message));
        }
    }
}
