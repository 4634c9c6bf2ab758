package dev.mooring.api.auth;

import static dev.mooring.api.auth.RolePolicy.RuleScope.ANYWHERE;
import static dev.mooring.api.auth.RolePolicy.RuleScope.GRANTED;
import static dev.mooring.api.auth.RolePolicy.RuleScope.RELATED;

import java.util.List;
import java.util.Optional;

/**
 * The permissions of each role. Rules only grant: anything without a rule is denied, including kinds that are added
 * later.
 *
 * <p>Three things are reserved for admins, because each would let another role escalate to admin: tokens; service
 * accounts (an annotation gives them a role) and their tokens; and the history of Secrets and of deleted namespaces,
 * which {@code HistoryAccess} of the HTTP server hides from users who may read the present. {@code exec},
 * {@code attach} and {@code portforward} also arrive as GET requests, so permission to get a Pod must not include them.
 */
final class RolePolicy {
    private static final String CORE = "";
    private static final String STORAGE = "storage.k8s.io";
    private static final String APPS = "apps";
    private static final String BATCH = "batch";
    private static final String COORDINATION = "coordination.k8s.io";
    private static final String DISCOVERY = "discovery.k8s.io";
    private static final String EVENTS = "events.k8s.io";
    private static final String MOORING = "mooring.dev";

    private static final String[] WORKLOADS = {"daemonsets", "deployments", "replicasets", "statefulsets"};

    private static final List<String> READ = List.of("get", "list", "watch");
    private static final List<String> ALL_VERBS =
            List.of("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection");
    private static final List<String> UPDATE_VERBS = List.of("update", "patch");
    private static final List<String> REPORT_VERBS = List.of("create", "update", "patch");
    private static final List<String> CREATE = List.of("create");
    private static final List<String> GET = List.of("get");
    private static final List<String> EVERYTHING = List.of("*");

    /** Rules for every authenticated user: reviews of their own identity and permissions. */
    static final List<PolicyRule> AUTHENTICATED_RULES = List.of(
            rule(ANYWHERE, CREATE, "authorization.k8s.io", "selfsubjectaccessreviews", "selfsubjectrulesreviews"),
            rule(ANYWHERE, CREATE, "authentication.k8s.io", "selfsubjectreviews"));

    /** Paths that every authenticated user may get; a trailing star includes everything below. */
    static final List<String> AUTHENTICATED_PATHS = List.of(
            "/api",
            "/api/*",
            "/apis",
            "/apis/*",
            "/openapi",
            "/openapi/*",
            "/.well-known/openid-configuration",
            "/openid/v1/jwks",
            "/version",
            "/version/",
            "/healthz",
            "/livez",
            "/readyz",
            "/ui",
            "/ui/*");

    /** Paths for users with the view role in all namespaces. */
    static final List<String> VIEW_PATHS = List.of("/metrics");

    private static final List<PolicyRule> ADMIN = List.of(new PolicyRule(ANYWHERE, EVERYTHING, "*", EVERYTHING));

    private static final List<PolicyRule> EDIT = List.of(
            rule(GRANTED, ALL_VERBS, CORE, "persistentvolumeclaims", "pods", "configmaps", "secrets", "services"),
            rule(GRANTED, List.of("get", "create"), CORE, "pods/exec", "pods/attach", "pods/portforward"),
            rule(GRANTED, CREATE, CORE, "pods/eviction"),
            rule(GRANTED, List.of("get", "update", "patch"), CORE, "pods/ephemeralcontainers"),
            rule(GRANTED, GET, CORE, "pods/log", "pods/status", "persistentvolumeclaims/status"),
            rule(GRANTED, READ, CORE, "events", "serviceaccounts", "namespaces", "resourcequotas"),
            rule(GRANTED, GET, CORE, "resourcequotas/status"),
            rule(GRANTED, ALL_VERBS, APPS, WORKLOADS),
            rule(GRANTED, ALL_VERBS, BATCH, "cronjobs", "jobs"),
            rule(GRANTED, GET, BATCH, "*/status"),
            rule(GRANTED, ALL_VERBS, CORE, "podtemplates", "replicationcontrollers"),
            rule(GRANTED, List.of("get", "update", "patch"), APPS, "*/scale"),
            rule(GRANTED, GET, APPS, "*/status"),
            // Controllers create Pods from revisions: writing one would bypass the policy for Pods.
            rule(GRANTED, READ, APPS, "controllerrevisions"),
            rule(GRANTED, GET, CORE, "services/status"),
            // Only admins write EndpointSlices: the node connects to the addresses in them.
            rule(GRANTED, READ, DISCOVERY, "endpointslices"),
            rule(GRANTED, READ, EVENTS, "events"),
            rule(ANYWHERE, READ, CORE, "persistentvolumes", "nodes"),
            rule(ANYWHERE, READ, STORAGE, "storageclasses"),
            rule(ANYWHERE, READ, "node.k8s.io", "runtimeclasses"),
            rule(ANYWHERE, READ, "scheduling.k8s.io", "priorityclasses"),
            // HistoryVisibility of the HTTP server selects the events of objects that the user may read.
            rule(ANYWHERE, READ, MOORING, "history"));

    private static final List<PolicyRule> VIEW = List.of(
            rule(
                    GRANTED,
                    READ,
                    CORE,
                    "persistentvolumeclaims",
                    "pods",
                    "configmaps",
                    "events",
                    "serviceaccounts",
                    "services",
                    "namespaces",
                    "resourcequotas"),
            rule(GRANTED, GET, CORE, "pods/log", "*/status"),
            rule(GRANTED, READ, APPS, WORKLOADS),
            rule(GRANTED, READ, BATCH, "cronjobs", "jobs"),
            rule(GRANTED, GET, BATCH, "*/status"),
            rule(GRANTED, READ, CORE, "podtemplates", "replicationcontrollers"),
            rule(GRANTED, READ, APPS, "controllerrevisions"),
            rule(GRANTED, GET, APPS, "*/scale", "*/status"),
            rule(GRANTED, READ, EVENTS, "events"),
            rule(GRANTED, READ, DISCOVERY, "endpointslices"),
            rule(GRANTED, READ, COORDINATION, "leases"),
            rule(GRANTED, READ, MOORING, "desiredvolumes", "actualvolumes", "volumeoperations"),
            rule(GRANTED, READ, STORAGE, "volumeattachments"),
            rule(ANYWHERE, READ, CORE, "persistentvolumes", "nodes"),
            rule(ANYWHERE, READ, STORAGE, "storageclasses"),
            rule(ANYWHERE, READ, "node.k8s.io", "runtimeclasses"),
            rule(ANYWHERE, READ, "scheduling.k8s.io", "priorityclasses"),
            rule(ANYWHERE, READ, MOORING, "history"));

    /**
     * Rules for nodes. As in Kubernetes, these decide which objects a node can access, and {@code NodeRestriction}
     * decides what it may write into them. Create rules are therefore unrestricted here.
     */
    private static final List<PolicyRule> NODE = List.of(
            rule(
                    RELATED,
                    READ,
                    CORE,
                    "nodes",
                    "pods",
                    "persistentvolumeclaims",
                    "persistentvolumes",
                    "configmaps",
                    "secrets",
                    "serviceaccounts"),
            rule(RELATED, READ, STORAGE, "volumeattachments"),
            rule(RELATED, READ, MOORING, "desiredvolumes", "actualvolumes", "volumeoperations"),
            rule(ANYWHERE, READ, STORAGE, "storageclasses"),
            rule(RELATED, REPORT_VERBS, CORE, "nodes"),
            rule(
                    RELATED,
                    UPDATE_VERBS,
                    CORE,
                    "nodes/status",
                    "pods/status",
                    "persistentvolumes/status",
                    "persistentvolumeclaims/status"),
            // The agent removes a Pod at the end of its deletion.
            rule(RELATED, List.of("delete"), CORE, "pods"),
            rule(RELATED, CREATE, CORE, "pods/eviction"),
            rule(RELATED, List.of("get", "create", "update", "patch"), COORDINATION, "leases"),
            // The controller decides which volumes are attached; the agent attaches them and protects them with a
            // finalizer.
            rule(RELATED, UPDATE_VERBS, STORAGE, "volumeattachments", "volumeattachments/status"),
            // Controllers decide on operations; the agent runs them and reports the results.
            rule(RELATED, UPDATE_VERBS, MOORING, "volumeoperations/status", "actualvolumes/status"),
            rule(RELATED, List.of("update", "patch", "delete"), MOORING, "desiredvolumes", "actualvolumes"),
            rule(ANYWHERE, CREATE, MOORING, "desiredvolumes", "actualvolumes"),
            rule(ANYWHERE, REPORT_VERBS, CORE, "events"));

    private RolePolicy() {}

    static List<PolicyRule> of(Role role) {
        return switch (role) {
            case ADMIN -> ADMIN;
            case EDIT -> EDIT;
            case VIEW -> VIEW;
            case NODE -> NODE;
            case NONE -> List.of();
        };
    }

    private static PolicyRule rule(RuleScope reach, List<String> verbs, String group, String... resources) {
        return new PolicyRule(reach, verbs, group, List.of(resources));
    }

    /** The scope of a {@link PolicyRule}. */
    enum RuleScope {
        /**
         * The namespaces of the grant. Cluster-scoped resources and all namespaces at once require a grant for
         * everywhere.
         */
        GRANTED {
            @Override
            boolean covers(User user, Attributes.Resource wanted, Relations relations) {
                Optional<String> namespace = wanted.effectiveNamespace();
                return user.grant().isEverywhere()
                        || (namespace.isPresent() && user.grant().covers(namespace.get()));
            }
        },
        /** Unrestricted; intended for cluster-scoped resources. */
        ANYWHERE {
            @Override
            boolean covers(User user, Attributes.Resource wanted, Relations relations) {
                return true;
            }
        },
        /** Objects that relate to the agent's node: see {@link NodeRelations}. */
        RELATED {
            @Override
            boolean covers(User user, Attributes.Resource wanted, Relations relations) {
                Optional<String> node = user.nodeName();
                return node.isPresent() && relations.cover(node.get(), wanted);
            }
        };

        /** Decides whether a request only concerns objects that relate to a node, in some World. */
        interface Relations {
            boolean cover(String node, Attributes.Resource wanted);
        }

        abstract boolean covers(User user, Attributes.Resource wanted, Relations relations);
    }

    /**
     * A rule of the {@link RolePolicy}: verbs on resources of a group within a scope. As in RBAC, {@code *} is
     * everything and {@code *}{@code /status} is the status of everything; a resource does not include its
     * subresources.
     */
    record PolicyRule(RuleScope scope, List<String> verbs, String group, List<String> resources) {
        private static final String ALL = "*";

        boolean allows(User user, Attributes.Resource wanted, RuleScope.Relations relations) {
            return matchesRequest(wanted) && scope.covers(user, wanted, relations);
        }

        /** Returns whether the rule has this verb and resource, regardless of its scope. */
        boolean matchesRequest(Attributes.Resource wanted) {
            return includes(verbs, wanted.verb())
                    && (group.equals(wanted.group()) || group.equals(ALL))
                    && includesResource(wanted);
        }

        private boolean includesResource(Attributes.Resource wanted) {
            return includes(resources, wanted.qualified())
                    || (!wanted.subresource().isEmpty() && resources.contains("*/" + wanted.subresource()));
        }

        private static boolean includes(List<String> list, String item) {
            return list.contains(item) || list.contains(ALL);
        }
    }
}
