package dev.mooring.control.cases;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One case of a table.
 *
 * @param before what is laid down
 * @param later what is done when all is quiet
 * @param made objects that are there in the end and were made by nobody above
 * @param work how the node does what it is asked to
 * @param told type, reason and object of each Event
 * @param functionOnly why it cannot be run over HTTP
 */
public record CaseRow(
        String id,
        String title,
        List<CaseLine> before,
        List<CaseLine> later,
        List<CaseLine> made,
        List<String> work,
        Set<String> told,
        Optional<String> functionOnly) {
    public CaseRow {
        before = List.copyOf(before);
        later = List.copyOf(later);
        made = List.copyOf(made);
        work = List.copyOf(work);
        told = Set.copyOf(told);
    }

    /** Whether an object is named so and of that kind. */
    boolean has(String verb, String name) {
        return before.stream()
                .anyMatch(each -> each.verb().equals(verb) && each.name().equals(name));
    }

    @Override
    public String toString() {
        return id + " " + title;
    }
}
