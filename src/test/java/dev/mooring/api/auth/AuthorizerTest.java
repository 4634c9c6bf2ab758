package dev.mooring.api.auth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AuthorizerTest {
    private static final World WORLD = world();
    private static final Authorizer AUTHORIZER = new Authorizer(() -> WORLD);

    private static World world() {
        String spec = """
            {'spec':{'nodeName':'NODE','serviceAccountName':'bot','volumes':[{'persistentVolumeClaim':{'claimName':'a'}},
              {'configMap':{'name':'a'}},{'secret':{'secretName':'a'}}]}}\
            """;
        World world = AuthWorldFixture.with(World.EMPTY, "pods/team/a", spec.replace("NODE", "n1"));
        world = AuthWorldFixture.with(world, "pods/other/a", spec.replace("NODE", "n2"));
        world = AuthWorldFixture.with(
                world, "persistentvolumeclaims/team/a", "{'metadata':{'uid':'u'},'spec':{'volumeName':'pv'}}");
        world = AuthWorldFixture.with(
                world, "persistentvolumeclaims/other/a", "{'metadata':{'uid':'u2'},'spec':{'volumeName':'pv2'}}");
        world = AuthWorldFixture.with(
                world, "persistentvolumes/pv", "{'spec':{'claimRef':{'namespace':'team','name':'a','uid':'u'}}}");
        world = AuthWorldFixture.with(
                world, "persistentvolumes/pv2", "{'spec':{'claimRef':{'namespace':'other','name':'a','uid':'u2'}}}");
        world = AuthWorldFixture.with(world, "volumeoperations.mooring.dev/grow", "{'spec':{'node':'n1'}}");
        return AuthWorldFixture.with(world, "volumeoperations.mooring.dev/grow2", "{'spec':{'node':'n2'}}");
    }

    private static final Map<String, User> USERS = new LinkedHashMap<>();

    static {
        USERS.put("A", User.of("root", Grant.everywhere(Role.ADMIN)));
        USERS.put("E", User.of("erin", new Grant(Role.EDIT, Set.of("team"))));
        USERS.put("V", User.of("vera", new Grant(Role.VIEW, Set.of("team"))));
        USERS.put("L", User.of("lou", Grant.of(Role.VIEW, List.of())));
        USERS.put("N", User.of("system:node:n1", Grant.of(Role.NODE, List.of())));
        USERS.put("S", User.serviceAccount("team", "bot", "u1", Grant.NOTHING));
    }

    /**
     * The complete policy: the users that may use these verbs on these resources, in this namespace (- for all
     * namespaces and for cluster-wide resources) and with this name (- for any).
     *
     * <p>A is the admin, E an editor of namespace team, V a viewer of namespace team, L a viewer of everything, N the
     * agent of node n1, S a service account of namespace team without a role.
     */
    private static final String TABLE = """
        # verbs                            resources                                             namespace name   users
        # Namespaced objects of users
        get,list,watch                     persistentvolumeclaims,pods,configmaps                team      -      AEVL..
        get,list,watch                     persistentvolumeclaims,pods,configmaps                other     -      A..L..
        list,watch                         persistentvolumeclaims,pods,configmaps                -         -      A..L..
        create,update,patch                persistentvolumeclaims,pods,configmaps,secrets        team      -      AE....
        create,update,patch                persistentvolumeclaims,pods,configmaps,secrets        other     -      A.....
        delete                             persistentvolumeclaims,configmaps,secrets             team      a      AE....
        delete                             persistentvolumeclaims,configmaps,secrets             other     a      A.....
        delete                             pods                                                  team      a      AE..N.
        delete                             pods                                                  other     a      A.....
        deletecollection                   persistentvolumeclaims,pods,configmaps,secrets        team      -      AE....
        deletecollection                   persistentvolumeclaims,pods,configmaps,secrets        -         -      A.....
        # Secrets
        get,list,watch                     secrets                                               team      -      AE....
        get,list,watch                     secrets                                               other     -      A.....
        list,watch                         secrets                                               -         -      A.....
        # Access to the containers of a Pod; clients also use GET
        get                                pods/log                                              team      a      AEVL..
        get                                pods/log                                              other     a      A..L..
        get,create                         pods/exec,pods/attach,pods/portforward                team      a      AE....
        get,create                         pods/exec,pods/attach,pods/portforward                other     a      A.....
        create                             pods/eviction                                         team      a      AE..N.
        create                             pods/binding,pods/ephemeralcontainers                 team      a      A.....
        # A status is read by users, and written by controllers and agents
        get                                pods/status,persistentvolumeclaims/status             team      a      AEVL..
        update,patch                       pods/status,persistentvolumeclaims/status             team      a      A...N.
        update,patch                       persistentvolumes/status                              -         pv     A...N.
        # Events
        get,list,watch                     events,events.events.k8s.io                           team      -      AEVL..
        list,watch                         events,events.events.k8s.io                           -         -      A..L..
        create,update,patch                events.events.k8s.io                                  team      -      A.....
        create,update,patch                events                                                team      -      A...N.
        delete                             events                                                team      a      A.....
        # Cluster-wide
        get,list,watch                     persistentvolumes                                     -         -      AEVL..
        get,list,watch                     storageclasses.storage.k8s.io                         -         -      AEVLN.
        create,update,patch,delete         persistentvolumes,storageclasses.storage.k8s.io       -         -      A.....
        get,list,watch                     nodes                                                 -         -      AEVL..
        get                                namespaces                                            -         team   AEVL..
        get                                namespaces                                            -         other  A..L..
        list,watch                         namespaces                                            -         -      A..L..
        create,update,patch,delete         namespaces                                            -         team   A.....
        get,list,watch                     volumeattachments.storage.k8s.io                      -         -      A..L..
        create,update,patch,delete         volumeattachments.storage.k8s.io                      -         -      A.....
        get,list,watch                     desiredvolumes.mooring.dev,actualvolumes.mooring.dev  -         -      A..L..
        create                             desiredvolumes.mooring.dev,actualvolumes.mooring.dev  -         -      A...N.
        update,patch,delete                desiredvolumes.mooring.dev,actualvolumes.mooring.dev  -         -      A.....
        get,list,watch                     volumeoperations.mooring.dev                          -         -      A..L..
        update,patch                       volumeoperations.mooring.dev/status                   -         grow   A...N.
        create,update,patch,delete         volumeoperations.mooring.dev                          -         grow   A.....
        # The events of objects that the user may read; HistoryVisibility selects them
        get,list,watch                     history.mooring.dev                                   -         -      AEVL..
        # Nodes: n1 has Pod a of team, which refers to objects called a; n2 has Pod a of other
        get                                persistentvolumeclaims,pods,configmaps                team      a      AEVLN.
        get                                secrets                                               team      a      AE..N.
        get                                persistentvolumeclaims,pods,configmaps                other     a      A..L..
        get                                secrets                                               other     a      A.....
        get                                secrets                                               team      b      AE....
        get                                serviceaccounts                                       team      bot    AEVLN.
        get                                serviceaccounts                                       team      other  AEVL..
        get                                persistentvolumes                                     -         pv     AEVLN.
        get                                persistentvolumes                                     -         pv2    AEVL..
        create                             pods/eviction                                         other     a      A.....
        update,patch                       pods/status                                           other     a      A.....
        update,patch                       pods                                                  team      a      AE....
        get                                volumeoperations.mooring.dev                          -         grow   A..LN.
        get                                volumeoperations.mooring.dev                          -         grow2  A..L..
        update,patch                       volumeoperations.mooring.dev/status                   -         grow2  A.....
        update,patch                       persistentvolumes/status                              -         pv2    A.....
        get                                nodes                                                 -         n1     AEVLN.
        get                                nodes                                                 -         n2     AEVL..
        get                                leases.coordination.k8s.io                            team      n1     A.VL..
        create,update,patch                nodes                                                 -         n1     A...N.
        update,patch                       nodes/status                                          -         n1     A...N.
        create,update,patch                nodes                                                 -         n2     A.....
        update,patch                       nodes/status                                          -         n2     A.....
        create                             nodes                                                 -         -      A.....
        delete                             nodes                                                 -         n1     A.....
        get                                leases.coordination.k8s.io                            kube-node-lease  n1  A..LN.
        create,update,patch                leases.coordination.k8s.io                            kube-node-lease  n1  A...N.
        create,update,patch                leases.coordination.k8s.io                            kube-node-lease  n2  A.....
        # Permissions that would make another role an admin
        get,list,watch                     tokens.mooring.dev                                    -         -      A.....
        create,update,patch,delete         tokens.mooring.dev                                    -         t      A.....
        get,list,watch                     serviceaccounts                                       team      -      AEVL..
        create,update,patch,delete         serviceaccounts                                       team      bot    A.....
        create                             serviceaccounts/token                                 team      bot    A.....
        get,list,watch                     explain.mooring.dev                                   -         -      A.....
        create                             proposals.mooring.dev                                 -         -      A.....
        impersonate                        users,groups                                          -         -      A.....
        *                                  *.*                                                   -         -      A.....
        *                                  pods                                                  team      -      A.....
        get                                *                                                     team      -      A.....
        get,list,create                    somethingelse.example.com                             team      -      A.....
        # Self-reviews
        create         selfsubjectaccessreviews.authorization.k8s.io,selfsubjectrulesreviews.authorization.k8s.io  -  -  AEVLNS
        create                             selfsubjectreviews.authentication.k8s.io              -         -      AEVLNS
        create                             subjectaccessreviews.authorization.k8s.io             -         -      A.....
        create                             tokenreviews.authentication.k8s.io                    -         -      A.....
        """;

    @Test
    void authorizer_everyRoleAndRequest_decidesAsInTable() {
        List<String> wrong = new ArrayList<>();
        int decisions = 0;
        for (String line : TABLE.lines().filter(each -> !each.startsWith("#")).toList()) {
            String[] cells = line.split("\\s+");
            assertThat(cells).as(line).hasSize(5);
            assertThat(cells[4]).as(line).hasSize(USERS.size());
            for (String verb : cells[0].split(",", -1)) {
                for (String resource : cells[1].split(",", -1)) {
                    Attributes wanted = attributes(verb, resource, cells[2], cells[3]);
                    int column = 0;
                    for (Map.Entry<String, User> user : USERS.entrySet()) {
                        boolean expected =
                                cells[4].substring(column, column + 1).equals(user.getKey());
                        if (AUTHORIZER.decide(user.getValue(), wanted).isAllowed() != expected) {
                            wrong.add(user.getKey()
                                    + (expected ? " must be allowed: " : " must not be allowed: ")
                                    + wanted);
                        }
                        column++;
                        decisions++;
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(decisions).isGreaterThan(1000);
    }

    /** Resources are written as {@code storageclasses.storage.k8s.io}, {@code pods/log}. */
    private static Attributes attributes(String verb, String text, String namespace, String name) {
        String subresource = text.contains("/") ? text.substring(text.indexOf('/') + 1) : "";
        String qualified = text.contains("/") ? text.substring(0, text.indexOf('/')) : text;
        int dot = qualified.indexOf('.');
        return Attributes.resource(
                        verb,
                        dot < 0 ? "" : qualified.substring(dot + 1),
                        dot < 0 ? qualified : qualified.substring(0, dot))
                .withSubresource(subresource)
                .withNamespace(namespace.equals("-") ? "" : namespace)
                .withName(name.equals("-") ? "" : name);
    }

    @ParameterizedTest
    @CsvSource({
        "get,  /api,              AEVLNS",
        "get,  /apis,             AEVLNS",
        "get,  /apis/apps/v1,     AEVLNS",
        "get,  /openapi/v3,       AEVLNS",
        "get,  /version,          AEVLNS",
        "get,  /livez,            AEVLNS",
        "get,  /ui/index.html,    AEVLNS",
        "post, /api,              A.....",
        "get,  /metrics,          A..L..",
        "get,  /,                 A.....",
        "get,  /apiary,           A.....",
        "get,  /debug/pprof,      A....."
    })
    void authorizer_nonResourcePath_allowsListedUsers(String verb, String path, String allowedUsers) {
        StringBuilder allowed = new StringBuilder();
        USERS.forEach((letter, user) -> allowed.append(
                AUTHORIZER.decide(user, Attributes.nonResource(verb, path)).isAllowed() ? letter : "."));
        assertThat(allowed.toString()).isEqualTo(allowedUsers);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "list   | persistentvolumeclaims | y | - | persistentvolumeclaims is forbidden: User \"erin\" cannot"
                        + " list resource \"persistentvolumeclaims\" in API group \"\" in the namespace \"y\"",
                "list   | pods | - | - | pods is forbidden: User \"erin\" cannot list resource \"pods\" in API group"
                        + " \"\" at the cluster scope",
                "watch  | pods | - | - | pods is forbidden: User \"erin\" cannot watch resource \"pods\" in API group"
                        + " \"\" at the cluster scope",
                "delete | pods | y | a | pods \"a\" is forbidden: User \"erin\" cannot delete resource \"pods\" in API"
                        + " group \"\" in the namespace \"y\"",
                "create | pods/exec | y | a | pods \"a\" is forbidden: User \"erin\" cannot create resource"
                        + " \"pods/exec\" in API group \"\" in the namespace \"y\"",
                "delete | storageclasses.storage.k8s.io | - | fast | storageclasses.storage.k8s.io \"fast\" is"
                        + " forbidden: User \"erin\" cannot delete resource \"storageclasses\" in API group"
                        + " \"storage.k8s.io\" at the cluster scope",
                "get    | namespaces | - | y | namespaces \"y\" is forbidden: User \"erin\" cannot get resource"
                        + " \"namespaces\" in API group \"\" in the namespace \"y\"",
                "list   | namespaces | - | - | namespaces is forbidden: User \"erin\" cannot list resource"
                        + " \"namespaces\" in API group \"\" at the cluster scope",
                "get    | pods | y | <b>&co | pods \"<b>&co\" is forbidden: User \"erin\" cannot get resource \"pods\""
                        + " in API group \"\" in the namespace \"y\""
            })
    void authorizer_deniedResource_usesMessageOfKubernetesAndStatesGrant(
            String verb, String resource, String namespace, String name, String message) {
        assertThat(AUTHORIZER.decide(USERS.get("E"), attributes(verb, resource, namespace, name)))
                .isEqualTo(new Authorizer.AuthorizationDecision.Denied(message
                        + ": it has role \"edit\" in the namespaces [team]; \"kubectl auth can-i --list\" shows what"
                        + " that permits, and an admin grants more with \"mooring token create\""));
    }

    @Test
    void authorizer_deniedPath_isHtmlEscapedInMessage() {
        assertThat(AUTHORIZER.decide(USERS.get("E"), Attributes.nonResource("get", "/metrics")))
                .isEqualTo(new Authorizer.AuthorizationDecision.Denied(
                        "forbidden: User \"erin\" cannot get path \"/metrics\""));
        assertThat(AUTHORIZER.decide(USERS.get("E"), Attributes.nonResource("get", "/<script>&\"")))
                .isEqualTo(new Authorizer.AuthorizationDecision.Denied(
                        "forbidden: User \"erin\" cannot get path \"/&lt;script&gt;&amp;\\\"\""));
    }

    @Test
    void authorizer_editorWithoutNamespaces_isDenied() {
        User editorWithoutNamespaces = User.of("x", Grant.of(Role.EDIT, List.of()));
        assertThat(AUTHORIZER
                        .decide(editorWithoutNamespaces, attributes("list", "pods", "team", "-"))
                        .isAllowed())
                .isFalse();
        User editorOfAllNamespaces = User.of("x", Grant.of(Role.EDIT, List.of("*")));
        assertThat(AUTHORIZER
                        .decide(editorOfAllNamespaces, attributes("list", "pods", "-", "-"))
                        .isAllowed())
                .isTrue();
    }

    @Test
    void authorizer_nodeUserNameWithoutNodeRole_isDenied() {
        User pretender = User.of("system:node:n1", new Grant(Role.VIEW, Set.of("*")));
        assertThat(AUTHORIZER
                        .decide(pretender, attributes("update", "nodes", "-", "n1"))
                        .isAllowed())
                .isFalse();
    }
}
