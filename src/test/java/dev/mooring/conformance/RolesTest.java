package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.ApiUnderTest.Reply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests access over HTTPS for every role, kind and verb. A request is allowed if the response is not 401 or 403; all
 * changes are dry runs, and SelfSubjectAccessReview must agree.
 */
@Timeout(180)
class RolesTest {
    /** get, list, watch, create, update, patch, delete, deletecollection. */
    private static final String VERBS = "glwcupdx";

    private static final String NODE = "testhost";

    /**
     * Allowed accesses; all others are forbidden. The second column is a namespace, {@code all} namespaces at once, or
     * {@code -} for cluster-scoped kinds. A name after a colon is the name of the object, else it is "nothing". Access
     * of a node to the objects of its Pods is tested in {@link NodeAuthorizationTest} and {@link NodeRestrictionTest}.
     */
    private static final String ALLOWED = """
        edit-a  a    configmaps secrets pods persistentvolumeclaims services      glwcupdx
        edit-a  a    events serviceaccounts endpointslices.discovery.k8s.io        glw
        edit-a  a    pods/status persistentvolumeclaims/status                    g
        edit-a  a    pods/eviction                                                c
        edit-a  -    persistentvolumes nodes storageclasses.storage.k8s.io        glw
        edit-a  -    nodes:testhost                                               g
        edit-a  -    namespaces:a                                                 g
        view    a    configmaps events pods persistentvolumeclaims serviceaccounts services leases.coordination.k8s.io endpointslices.discovery.k8s.io glw
        view    b    configmaps events pods persistentvolumeclaims serviceaccounts services leases.coordination.k8s.io endpointslices.discovery.k8s.io glw
        view    all  configmaps events pods persistentvolumeclaims serviceaccounts services leases.coordination.k8s.io endpointslices.discovery.k8s.io lw
        view    a    pods/status persistentvolumeclaims/status                    g
        view    b    pods/status persistentvolumeclaims/status                    g
        view    a    leases.coordination.k8s.io:testhost                          g
        view    b    leases.coordination.k8s.io:testhost                          g
        view    -    namespaces persistentvolumes nodes storageclasses.storage.k8s.io volumeattachments.storage.k8s.io glw
        view    -    actualvolumes.mooring.dev desiredvolumes.mooring.dev volumeoperations.mooring.dev glw
        view    -    namespaces:a namespaces:b namespaces:a/status nodes:testhost g
        view    -    nodes/status nodes:testhost/status persistentvolumes/status  g
        view-a  a    configmaps events pods persistentvolumeclaims serviceaccounts services leases.coordination.k8s.io endpointslices.discovery.k8s.io glw
        view-a  a    pods/status persistentvolumeclaims/status                    g
        view-a  a    leases.coordination.k8s.io:testhost                          g
        view-a  -    persistentvolumes nodes storageclasses.storage.k8s.io        glw
        view-a  -    nodes:testhost namespaces:a namespaces:a/status              g
        node    a    events                                                       cup
        node    b    events                                                       cup
        node    -    storageclasses.storage.k8s.io                                glw
        node    -    actualvolumes.mooring.dev desiredvolumes.mooring.dev         c
        node    -    nodes:testhost                                               gcup
        node    -    nodes:testhost/status                                        up
        """;

    private static final List<String> IN_NAMESPACES = List.of(
            "configmaps",
            "events",
            "persistentvolumeclaims",
            "pods",
            "secrets",
            "serviceaccounts",
            "services",
            "leases.coordination.k8s.io",
            "endpointslices.discovery.k8s.io");

    private static final List<String> IN_NAMESPACES_BY_NAME = List.of("leases.coordination.k8s.io:testhost");

    private static final List<String> PARTS_IN_NAMESPACES =
            List.of("pods/status", "persistentvolumeclaims/status", "pods/eviction", "serviceaccounts/token");

    private static final List<String> CLUSTER_WIDE = List.of(
            "namespaces",
            "nodes",
            "persistentvolumes",
            "storageclasses.storage.k8s.io",
            "volumeattachments.storage.k8s.io",
            "actualvolumes.mooring.dev",
            "desiredvolumes.mooring.dev",
            "tokens.mooring.dev",
            "volumeoperations.mooring.dev");

    private static final List<String> CLUSTER_WIDE_BY_NAME = List.of(
            "namespaces:a",
            "namespaces:b",
            "namespaces:a/status",
            "namespaces:a/finalize",
            "nodes:testhost",
            "nodes:testhost/status",
            "nodes/status",
            "persistentvolumes/status",
            "volumeattachments.storage.k8s.io/status",
            "actualvolumes.mooring.dev/status",
            "volumeoperations.mooring.dev/status");

    @TempDir
    private static Path data;

    private static ApiUnderTest admin;
    private static final Map<String, String> TOKENS = new HashMap<>();

    /** One access: {@code what} is {@code resource[.group][:name][/subresource]}. */
    private record AccessCase(String where, String what, char verb) {
        String group() {
            String resource = what.split("[:/]", 2)[0];
            int dot = resource.indexOf('.');
            return dot < 0 ? "" : resource.substring(dot + 1);
        }

        String resource() {
            return what.split("[:/.]", 2)[0];
        }

        String name() {
            int colon = what.indexOf(':');
            return colon < 0 ? "nothing" : what.substring(colon + 1).split("/", 2)[0];
        }

        String subresource() {
            int slash = what.indexOf('/');
            return slash < 0 ? "" : what.substring(slash + 1);
        }

        boolean hasName() {
            return "gupd".indexOf(verb) >= 0 || !subresource().isEmpty();
        }

        String path() {
            String start = group().isEmpty() ? "/api/v1" : "/apis/" + group() + "/v1";
            String in = where.length() == 1 && !where.equals("-") ? "/namespaces/" + where : "";
            return start + in + "/" + resource() + (hasName() ? "/" + name() : "")
                    + (subresource().isEmpty() ? "" : "/" + subresource());
        }
    }

    @BeforeAll
    static void start() {
        admin = ApiUnderTest.start(data, Map.of("api.requestBurst", "1000000", "api.requestsPerSecond", "1000000"));
        for (String name : List.of("a", "b")) {
            assertThat(admin.post("/api/v1/namespaces", ApiUnderTest.namespace(name))
                            .code())
                    .isEqualTo(201);
        }
        TOKENS.put("admin", admin.token());
        TOKENS.put("second-admin", admin.createToken("second-admin", "'role':'admin'"));
        TOKENS.put("edit-a", admin.createToken("edit-a", "'role':'edit','namespaces':['a']"));
        TOKENS.put("edit-ab", admin.createToken("edit-ab", "'role':'edit','namespaces':['a','b']"));
        TOKENS.put("view", admin.createToken("view", "'role':'view'"));
        TOKENS.put("view-a", admin.createToken("view-a", "'role':'view','namespaces':['a']"));
        TOKENS.put("node", admin.createToken(NODE, "'role':'node'"));
        for (String role : List.of("none", "view", "edit", "admin", "node")) {
            TOKENS.put("account-" + role, account(role));
        }
    }

    private static String account(String role) {
        String annotations = role.equals("none") ? "" : ",'annotations':{'mooring.dev/role':'" + role + "'}";
        String accounts = "/api/v1/namespaces/a/serviceaccounts";
        assertThat(admin.post(accounts, "{'metadata':{'name':'sa-" + role + "'" + annotations + "}}")
                        .code())
                .isEqualTo(201);
        Reply issued = admin.post(accounts + "/sa-" + role + "/token", "{'spec':{'expirationSeconds':3600}}");
        assertThat(issued.code()).isEqualTo(201);
        return issued.body().at("/status/token").asText();
    }

    @AfterAll
    static void stop() {
        admin.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "admin",
                "second-admin",
                "edit-a",
                "edit-ab",
                "view",
                "view-a",
                "node",
                "account-none",
                "account-view",
                "account-edit",
                "account-admin",
                "account-node"
            })
    void access_ofEachUser_matchesTable(String user) {
        ApiUnderTest api = admin.withToken(TOKENS.get(user));
        List<String> wrong = new ArrayList<>();
        for (AccessCase access : accessCases()) {
            Reply answer = attempt(api, access);
            boolean expected = isAllowed(user, access);
            boolean allowed = answer.code() != 403;
            if (allowed != expected || answer.code() == 401 || answer.code() == 405 || answer.code() >= 500) {
                wrong.add(access + " is " + answer.code() + " " + answer.message() + ", expected allowed=" + expected);
            }
            if (reviewAllows(api, access) != expected) {
                wrong.add("SelfSubjectAccessReview of " + access + " is not " + expected);
            }
            if (!allowed && !answer.reason().equals("Forbidden")) {
                wrong.add(access + " has reason " + answer.reason());
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static List<AccessCase> accessCases() {
        List<AccessCase> accesses = new ArrayList<>();
        for (String where : List.of("a", "b")) {
            IN_NAMESPACES.forEach(what -> add(accesses, where, what, VERBS));
            IN_NAMESPACES_BY_NAME.forEach(what -> add(accesses, where, what, "gcupd"));
            PARTS_IN_NAMESPACES.forEach(what -> add(accesses, where, what, what.endsWith("status") ? "gup" : "c"));
        }
        IN_NAMESPACES.forEach(what -> add(accesses, "all", what, "lw"));
        CLUSTER_WIDE.forEach(what -> add(accesses, "-", what, VERBS));
        for (String what : CLUSTER_WIDE_BY_NAME) {
            add(accesses, "-", what, what.endsWith("finalize") ? "u" : what.endsWith("status") ? "gup" : "gcupd");
        }
        return accesses;
    }

    private static void add(List<AccessCase> accesses, String where, String what, String verbs) {
        verbs.chars().forEach(verb -> accesses.add(new AccessCase(where, what, (char) verb)));
    }

    private static boolean isAllowed(String user, AccessCase access) {
        String row = switch (user) {
            case "admin", "second-admin" -> "admin";
            case "account-view" -> "view-a";
            case "account-edit" -> "edit-a";
            case "edit-ab" -> "edit-a";
            default -> user;
        };
        // With two namespaces, the rules of one apply to each.
        String where = user.equals("edit-ab") && access.where.equals("b") ? "a" : access.where;
        String what = user.equals("edit-ab") && access.what.equals("namespaces:b") ? "namespaces:a" : access.what;
        return row.equals("admin")
                || ALLOWED.lines()
                        .map(line -> List.of(line.split(" +")))
                        .anyMatch(line -> line.get(0).equals(row)
                                && line.get(1).equals(where)
                                && line.subList(2, line.size() - 1).contains(what)
                                && line.get(line.size() - 1).indexOf(access.verb) >= 0);
    }

    /** Sends the request. If access is allowed, a missing object is 404 and a future revision is 410. */
    private static Reply attempt(ApiUnderTest api, AccessCase access) {
        String path = access.path();
        String body = "{'metadata':{'name':'" + access.name() + "'}}";
        return switch (access.verb) {
            case 'g' -> api.get(path);
            case 'l' -> api.get(path + "?limit=1");
            case 'w' -> api.get(path + "?watch=true&resourceVersion=99999999");
            case 'c' -> api.post(path + "?dryRun=All", access.subresource().isEmpty() ? body : "{}");
            case 'u' -> api.put(path + "?dryRun=All", body);
            case 'p' -> api.mergePatch(path + "?dryRun=All", "{}");
            case 'd' -> api.delete(path + "?dryRun=All");
            default -> api.delete(path + "?dryRun=All&labelSelector=missing%3Dlabel");
        };
    }

    private static boolean reviewAllows(ApiUnderTest api, AccessCase access) {
        String verb = switch (access.verb) {
            case 'g' -> "get";
            case 'l' -> "list";
            case 'w' -> "watch";
            case 'c' -> "create";
            case 'u' -> "update";
            case 'p' -> "patch";
            case 'd' -> "delete";
            default -> "deletecollection";
        };
        boolean named =
                access.hasName() || (access.verb == 'c' && !access.resource().equals("namespaces"));
        String attributes = "'verb':'" + verb + "','group':'" + access.group() + "','resource':'" + access.resource()
                + "'"
                + (access.subresource().isEmpty() ? "" : ",'subresource':'" + access.subresource() + "'")
                + (access.where.length() == 1 && !access.where.equals("-") ? ",'namespace':'" + access.where + "'" : "")
                + (named ? ",'name':'" + access.name() + "'" : "");
        Reply review = api.post(
                "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                "{'spec':{'resourceAttributes':{" + attributes + "}}}");
        assertThat(review.code()).as(review.text()).isEqualTo(201);
        return review.body().at("/status/allowed").asBoolean();
    }

    @Test
    void request_withoutValidToken_isUnauthorized() {
        String revoked = admin.createToken("revoked", "'role':'admin'");
        assertThat(admin.withToken(revoked).get("/api/v1/nodes").code()).isEqualTo(200);
        assertThat(admin.delete("/apis/mooring.dev/v1/tokens/revoked").code()).isEqualTo(200);
        String expired = admin.createToken("expired", "'role':'admin','expires':'2020-01-01T00:00:00Z'");
        String account = account("gone");
        assertThat(admin.delete("/api/v1/namespaces/a/serviceaccounts/sa-gone").code())
                .isEqualTo(200);
        String good = TOKENS.get("view");
        for (String token : List.of(
                "",
                "wrong",
                "mrg_view_" + "t".repeat(43),
                "mrg_nobody_" + "s".repeat(43),
                good + "s",
                good.substring(0, good.length() - 1),
                revoked,
                expired,
                account,
                "x".repeat(5000))) {
            ApiUnderTest unauthenticated = admin.withToken(token);
            for (AccessCase access : accessCases()) {
                if (access.where.equals("a")
                        && List.of("secrets", "pods/eviction").contains(access.what)) {
                    Reply answer = attempt(unauthenticated, access);
                    assertThat(answer.code()).as(token + access).isEqualTo(401);
                    assertThat(answer.header("www-authenticate")).isEqualTo("Bearer");
                    assertThat(answer.message()).isEqualTo("Unauthorized");
                }
            }
            for (String path : List.of("/api", "/apis", "/openapi/v2", "/metrics", "/api/v1/nothing")) {
                assertThat(unauthenticated.get(path).code()).as(path).isEqualTo(401);
            }
            assertThat(unauthenticated.get("/livez").code()).isEqualTo(200);
        }
    }

    @Test
    void discovery_byEachUser_isAllowed() {
        TOKENS.forEach((user, token) -> {
            for (String path : List.of("/api", "/apis", "/api/v1", "/apis/mooring.dev/v1", "/openapi/v3")) {
                assertThat(admin.withToken(token).get(path).code())
                        .as(user + path)
                        .isEqualTo(200);
            }
            boolean mayReadMetrics = List.of("admin", "second-admin", "view").contains(user);
            assertThat(admin.withToken(token).get("/metrics").code()).as(user).isEqualTo(mayReadMetrics ? 200 : 403);
            Reply self = admin.withToken(token).post("/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}");
            assertThat(self.code()).as(user).isEqualTo(201);
        });
    }
}
