package dev.mooring.api.http;

import dev.mooring.api.HealthCheck;
import dev.mooring.api.HealthChecks;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Serves {@code /livez}, {@code /readyz} and {@code /healthz} in the forms of Kubernetes: {@code ok}, the list with
 * {@code ?verbose} (and always when a check fails), a single check under its own path, {@code ?exclude=NAME}. Requires
 * no authentication, as in Kubernetes, because probes have no tokens. A failure is a 500, as in Kubernetes.
 *
 * <p>A degraded component is listed by {@code /readyz} but does not fail it, because load balancers should continue to
 * send requests. It does fail {@code /healthz}, which is meant for monitoring.
 */
final class HealthRoutes {
    private static final int OK = 200;
    private static final int FAILED = 500;

    private final HealthChecks checks;
    private final Handler<RoutingContext> unknown;

    /** @param unknown responds to requests for a check that does not exist */
    HealthRoutes(HealthChecks checks, Handler<RoutingContext> unknown) {
        this.checks = checks;
        this.unknown = unknown;
    }

    void mount(Router router) {
        mount(
                router,
                "livez",
                check -> check.type() == HealthCheck.HealthCheckType.LIVE,
                HealthCheck.HealthResult::isServing);
        mount(router, "readyz", check -> true, HealthCheck.HealthResult::isServing);
        mount(router, "healthz", check -> true, HealthCheck.HealthResult::isOk);
    }

    private void mount(
            Router router,
            String endpoint,
            Predicate<HealthCheck> relevant,
            Predicate<HealthCheck.HealthResult> passes) {
        router.route("/" + endpoint)
                .method(HttpMethod.GET)
                .method(HttpMethod.HEAD)
                .handler(request -> respondAll(
                        request,
                        endpoint,
                        checks.all().stream().filter(relevant).toList(),
                        passes));
        router.route("/" + endpoint + "/:check")
                .method(HttpMethod.GET)
                .method(HttpMethod.HEAD)
                .handler(request -> {
                    String name = request.pathParam("check");
                    Optional<HealthCheck> check = checks.all().stream()
                            .filter(relevant)
                            .filter(candidate -> candidate.name().equals(name))
                            .findFirst();
                    check.ifPresentOrElse(found -> respondOne(request, found), () -> unknown.handle(request));
                });
    }

    private static void respondAll(
            RoutingContext request,
            String endpoint,
            List<HealthCheck> relevant,
            Predicate<HealthCheck.HealthResult> passes) {
        Set<String> excluded = Set.copyOf(request.queryParam("exclude"));
        StringBuilder report = new StringBuilder();
        boolean healthy = true;
        for (HealthCheck check : relevant) {
            if (excluded.contains(check.name())) {
                report.append("[+]").append(check.name()).append(" excluded: ok\n");
                continue;
            }
            HealthCheck.HealthResult health = check.check();
            healthy &= passes.test(health);
            report.append(line(check, health)).append('\n');
        }
        report.append(endpoint).append(healthy ? " check passed\n" : " check failed\n");
        boolean verbose = request.queryParams().contains("verbose");
        send(request, healthy ? OK : FAILED, healthy && !verbose ? "ok" : report.toString());
    }

    private static void respondOne(RoutingContext request, HealthCheck check) {
        HealthCheck.HealthResult health = check.check();
        send(request, health.isOk() ? OK : FAILED, health.isOk() ? "ok" : line(check, health) + "\n");
    }

    private static String line(HealthCheck check, HealthCheck.HealthResult health) {
        return health.problem()
                .map(problem -> "[-]" + check.name() + (health.isServing() ? " degraded: " : " failed: ") + problem)
                .orElse("[+]" + check.name() + " ok");
    }

    private static void send(RoutingContext request, int status, String text) {
        request.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "text/plain; charset=utf-8")
                .end(text);
    }
}
