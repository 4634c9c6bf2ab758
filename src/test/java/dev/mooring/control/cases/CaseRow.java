package dev.mooring.control.cases;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One case of a table.
 *
 * @param before the objects that exist at first
 * @param later the actions after the controllers have settled
 * @param created the objects that the controllers must create
 * @param work how the node executes operations
 * @param events type, reason and object of each Event
 * @param functionOnly why the case cannot run over HTTP; empty if it can
 */
public record CaseRow(
        String id,
        String title,
        List<CaseLine> before,
        List<CaseLine> later,
        List<CaseLine> created,
        List<String> work,
        Set<String> events,
        Optional<String> functionOnly) {
    public CaseRow {
        before = List.copyOf(before);
        later = List.copyOf(later);
        created = List.copyOf(created);
        work = List.copyOf(work);
        events = Set.copyOf(events);
    }

    /** Returns whether the case starts with an object of this kind and name. */
    boolean has(String verb, String name) {
        return before.stream()
                .anyMatch(each -> each.verb().equals(verb) && each.name().equals(name));
    }

    @Override
    public String toString() {
        return id + " " + title;
    }
}
