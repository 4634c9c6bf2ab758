package dev.mooring.api.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AuthorizerTest {
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
     * The whole policy. Read as: may these verbs on these resources in this namespace (- for all of them, or for what is cluster-wide), and
     * of this name (- for any), be used by
     *
     * <p>A the admin, E an editor of namespace team, V a viewer of namespace team, L a viewer of everything, N the agent of node n1, S a
     * service account of namespace team without a role.
     */
    private static final String TABLE = """
        # verbs                            resources                                             namespace name   who
        # What users work with
        get,list,watch                     persistentvolumeclaims,pods,configmaps                team      -      AEVLN.
        get,list,watch                     persistentvolumeclaims,pods,configmaps                other     -      A..LN.
        list,watch                         persistentvolumeclaims,pods,configmaps                -         -      A..LN.
        create,update,patch                persistentvolumeclaims,pods,configmaps,secrets        team      -      AE....
        create,update,patch                persistentvolumeclaims,pods,configmaps,secrets        other     -      A.....
        delete                             persistentvolumeclaims,configmaps,secrets             team      a      AE....
        delete                             persistentvolumeclaims,configmaps,secrets             other     a      A.....
        delete                             pods                                                  team      a      AE..N.
        delete                             pods                                                  other     a      A...N.
        deletecollection                   persistentvolumeclaims,pods,configmaps,secrets        team      -      AE....
        deletecollection                   persistentvolumeclaims,pods,configmaps,secrets        -         -      A.....
        # Secrets
        get,list,watch                     secrets                                               team      -      AE..N.
        get,list,watch                     secrets                                               other     -      A...N.
        list,watch                         secrets                                               -         -      A...N.
        # Into a Pod; clients ask with GET, too
        get                                pods/log                                              team      a      AEVL..
        get                                pods/log                                              other     a      A..L..
        get,create                         pods/exec,pods/attach,pods/portforward                team      a      AE....
        get,create                         pods/exec,pods/attach,pods/portforward                other     a      A.....
        create                             pods/eviction                                         team      a      AE....
        create                             pods/binding,pods/ephemeralcontainers                 team      a      A.....
        # A status is read by users, and written by controllers and agents
        get                                pods/status,persistentvolumeclaims/status             team      a      AEVL..
        update,patch                       pods/status,persistentvolumeclaims/status             team      a      A...N.
        update,patch                       persistentvolumes/status                              -         pv     A...N.
        # What happened
        get,list,watch                     events,events.events.k8s.io                           team      -      AEVL..
        list,watch                         events,events.events.k8s.io                           -         -      A..L..
        create,update,patch                events,events.events.k8s.io                           team      -      A...N.
        delete                             events                                                team      a      A.....
        # Cluster-wide
        get,list,watch                     persistentvolumes,storageclasses.storage.k8s.io       -         -      AEVLN.
        create,update,patch,delete         persistentvolumes,storageclasses.storage.k8s.io       -         -      A.....
        get,list,watch                     nodes                                                 -         -      AEVLN.
        get                                namespaces                                            -         team   AEVLN.
        get                                namespaces                                            -         other  A..LN.
        list,watch                         namespaces                                            -         -      A..LN.
        create,update,patch,delete         namespaces                                            -         team   A.....
        get,list,watch                     volumeattachments.storage.k8s.io                      -         -      A..LN.
        create,update,patch,delete         volumeattachments.storage.k8s.io                      -         -      A...N.
        get,list,watch                     desiredvolumes.mooring.dev,actualvolumes.mooring.dev  -         -      A..LN.
        create,update,patch,delete         desiredvolumes.mooring.dev,actualvolumes.mooring.dev  -         -      A...N.
        get,list,watch                     volumeoperations.mooring.dev                          -         -      A..LN.
        update,patch                       volumeoperations.mooring.dev/status                   -         grow   A...N.
        create,update,patch,delete         volumeoperations.mooring.dev                          -         grow   A.....
        # A node keeps to itself
        create,update,patch                nodes                                                 -         n1     A...N.
        update,patch                       nodes/status                                          -         n1     A...N.
        create,update,patch                nodes                                                 -         n2     A.....
        update,patch                       nodes/status                                          -         n2     A.....
        create                             nodes                                                 -         -      A.....
        delete                             nodes                                                 -         n1     A.....
        get                                leases.coordination.k8s.io                            kube-node-lease  n1  A..LN.
        create,update,patch                leases.coordination.k8s.io                            kube-node-lease  n1  A...N.
        create,update,patch                leases.coordination.k8s.io                            kube-node-lease  n2  A.....
        # What would make another role an admin
        get,list,watch                     tokens.mooring.dev                                    -         -      A.....
        create,update,patch,delete         tokens.mooring.dev                                    -         t      A.....
        get,list,watch                     serviceaccounts                                       team      -      AEVLN.
        create,update,patch,delete         serviceaccounts                                       team      bot    A.....
        create                             serviceaccounts/token                                 team      bot    A.....
        get,list,watch                     history.mooring.dev,explain.mooring.dev               -         -      A.....
        create                             proposals.mooring.dev                                 -         -      A.....
        impersonate                        users,groups                                          -         -      A.....
        *                                  *.*                                                   -         -      A.....
        *                                  pods                                                  team      -      A.....
        get                                *                                                     team      -      A.....
        get,list,create                    somethingelse.example.com                             team      -      A.....
        # Who am I, what may I do?
        create         selfsubjectaccessreviews.authorization.k8s.io,selfsubjectrulesreviews.authorization.k8s.io  -  -  AEVLNS
        create                             selfsubjectreviews.authentication.k8s.io              -         -      AEVLNS
        create                             subjectaccessreviews.authorization.k8s.io             -         -      A.....
        create                             tokenreviews.authentication.k8s.io                    -         -      A.....
        """;

    @Test
    void everyRoleMayDoWhatTheTableSaysAndNothingElse() {
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
                        if (Authorizer.decide(user.getValue(), wanted).isAllowed() != expected) {
                            wrong.add(user.getKey()
                                    + (expected ? " should but may not: " : " may but should not: ")
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
    void pathsAreOpenToWhomTheyShouldBe(String verb, String path, String who) {
        StringBuilder allowed = new StringBuilder();
        USERS.forEach((letter, user) -> allowed.append(
                Authorizer.decide(user, Attributes.path(verb, path)).isAllowed() ? letter : "."));
        assertThat(allowed.toString()).isEqualTo(who);
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
    void denialsAreInKubernetesWords(String verb, String resource, String namespace, String name, String message) {
        assertThat(Authorizer.decide(USERS.get("E"), attributes(verb, resource, namespace, name)))
                .isEqualTo(new Decision.Denied(message));
    }

    @Test
    void aDeniedPathIsNamedWithoutLettingItWriteHtml() {
        assertThat(Authorizer.decide(USERS.get("E"), Attributes.path("get", "/metrics")))
                .isEqualTo(new Decision.Denied("forbidden: User \"erin\" cannot get path \"/metrics\""));
        assertThat(Authorizer.decide(USERS.get("E"), Attributes.path("get", "/<script>&\"")))
                .isEqualTo(
                        new Decision.Denied("forbidden: User \"erin\" cannot get path \"/&lt;script&gt;&amp;\\\"\""));
    }

    @Test
    void anEditorOfNoNamespaceMayChangeNothing() {
        User nobody = User.of("x", Grant.of(Role.EDIT, List.of()));
        assertThat(Authorizer.decide(nobody, attributes("list", "pods", "team", "-"))
                        .isAllowed())
                .isFalse();
        User everywhere = User.of("x", Grant.of(Role.EDIT, List.of("*")));
        assertThat(Authorizer.decide(everywhere, attributes("list", "pods", "-", "-"))
                        .isAllowed())
                .isTrue();
    }

    @Test
    void onlyTheRoleMakesANodeNotTheName() {
        User pretender = User.of("system:node:n1", new Grant(Role.VIEW, Set.of("*")));
        assertThat(Authorizer.decide(pretender, attributes("update", "nodes", "-", "n1"))
                        .isAllowed())
                .isFalse();
    }
}
