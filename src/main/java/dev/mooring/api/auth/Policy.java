package dev.mooring.api.auth;

import static dev.mooring.api.auth.Reach.ANYWHERE;
import static dev.mooring.api.auth.Reach.GRANTED;
import static dev.mooring.api.auth.Reach.OWN_NODE;

import java.util.List;

/**
 * What each role may do. It only ever adds: what no line names is denied, kinds that are added later included, until somebody decides
 * here who may see them.
 *
 * <p>Three things stay with the admin, because each would make another role as mighty: tokens, service accounts (an annotation gives them a role)
 * and their tokens, and the history, which holds every Secret there ever was. {@code exec}, {@code attach} and {@code portforward} come as
 * GET too, so that whoever may get a Pod must not thereby get these.
 */
final class Policy {
    private static final String CORE = "";
    private static final String STORAGE = "storage.k8s.io";
    private static final String COORDINATION = "coordination.k8s.io";
    private static final String EVENTS = "events.k8s.io";
    private static final String MOORING = "mooring.dev";

    private static final List<String> READ = List.of("get", "list", "watch");
    private static final List<String> ALL_VERBS =
            List.of("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection");
    private static final List<String> CHANGE = List.of("create", "update", "patch", "delete");
    private static final List<String> AMEND = List.of("update", "patch");
    private static final List<String> REPORT = List.of("create", "update", "patch");
    private static final List<String> CREATE = List.of("create");
    private static final List<String> GET = List.of("get");
    private static final List<String> EVERYTHING = List.of("*");

    /** Whoever has a good token: who am I, and what may I do? */
    static final List<Rule> EVERYBODY = List.of(
            rule(ANYWHERE, CREATE, "authorization.k8s.io", "selfsubjectaccessreviews", "selfsubjectrulesreviews"),
            rule(ANYWHERE, CREATE, "authentication.k8s.io", "selfsubjectreviews"));

    /** Paths that whoever has a good token may get; a star at the end is everything below. */
    static final List<String> EVERYBODY_PATHS = List.of(
            "/api",
            "/api/*",
            "/apis",
            "/apis/*",
            "/openapi",
            "/openapi/*",
            "/version",
            "/version/",
            "/healthz",
            "/livez",
            "/readyz",
            "/ui",
            "/ui/*");

    /** Paths for those who may look everywhere. */
    static final List<String> VIEW_PATHS = List.of("/metrics");

    private static final List<Rule> ADMIN = List.of(new Rule(ANYWHERE, EVERYTHING, "*", EVERYTHING));

    private static final List<Rule> EDIT = List.of(
            rule(GRANTED, ALL_VERBS, CORE, "persistentvolumeclaims", "pods", "configmaps", "secrets"),
            rule(GRANTED, List.of("get", "create"), CORE, "pods/exec", "pods/attach", "pods/portforward"),
            rule(GRANTED, CREATE, CORE, "pods/eviction"),
            rule(GRANTED, GET, CORE, "pods/log", "pods/status", "persistentvolumeclaims/status"),
            rule(GRANTED, READ, CORE, "events", "serviceaccounts", "namespaces"),
            rule(GRANTED, READ, EVENTS, "events"),
            rule(ANYWHERE, READ, CORE, "persistentvolumes", "nodes"),
            rule(ANYWHERE, READ, STORAGE, "storageclasses"));

    private static final List<Rule> VIEW = List.of(
            rule(
                    GRANTED,
                    READ,
                    CORE,
                    "persistentvolumeclaims",
                    "pods",
                    "configmaps",
                    "events",
                    "serviceaccounts",
                    "namespaces"),
            rule(GRANTED, GET, CORE, "pods/log", "*/status"),
            rule(GRANTED, READ, EVENTS, "events"),
            rule(GRANTED, READ, COORDINATION, "leases"),
            rule(GRANTED, READ, MOORING, "desiredvolumes", "actualvolumes", "volumeoperations"),
            rule(GRANTED, READ, STORAGE, "volumeattachments"),
            rule(ANYWHERE, READ, CORE, "persistentvolumes", "nodes"),
            rule(ANYWHERE, READ, STORAGE, "storageclasses"));

    private static final List<Rule> NODE = List.of(
            rule(
                    ANYWHERE,
                    READ,
                    CORE,
                    "pods",
                    "persistentvolumeclaims",
                    "persistentvolumes",
                    "configmaps",
                    "secrets",
                    "nodes",
                    "namespaces",
                    "serviceaccounts"),
            rule(ANYWHERE, READ, STORAGE, "storageclasses"),
            rule(ANYWHERE, AMEND, CORE, "pods/status", "persistentvolumes/status", "persistentvolumeclaims/status"),
            // The last step of a Pod's end is its agent's.
            rule(ANYWHERE, List.of("delete"), CORE, "pods"),
            rule(ANYWHERE, REPORT, CORE, "events"),
            rule(ANYWHERE, REPORT, EVENTS, "events"),
            rule(ANYWHERE, READ, STORAGE, "volumeattachments"),
            rule(ANYWHERE, CHANGE, STORAGE, "volumeattachments", "volumeattachments/status"),
            rule(ANYWHERE, READ, MOORING, "desiredvolumes", "actualvolumes", "volumeoperations"),
            // What is to be done is decided elsewhere; the agent does it and says what came of it.
            rule(ANYWHERE, AMEND, MOORING, "volumeoperations/status"),
            rule(
                    ANYWHERE,
                    CHANGE,
                    MOORING,
                    "desiredvolumes",
                    "desiredvolumes/status",
                    "actualvolumes",
                    "actualvolumes/status"),
            rule(OWN_NODE, REPORT, CORE, "nodes", "nodes/status"),
            rule(OWN_NODE, List.of("get", "create", "update", "patch"), COORDINATION, "leases"));

    private Policy() {}

    static List<Rule> of(Role role) {
        return switch (role) {
            case ADMIN -> ADMIN;
            case EDIT -> EDIT;
            case VIEW -> VIEW;
            case NODE -> NODE;
            case NONE -> List.of();
        };
    }

    private static Rule rule(Reach reach, List<String> verbs, String group, String... resources) {
        return new Rule(reach, verbs, group, List.of(resources));
    }
}
