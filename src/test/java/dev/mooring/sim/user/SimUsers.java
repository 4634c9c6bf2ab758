package dev.mooring.sim.user;

import dev.mooring.api.auth.Grant;
import dev.mooring.api.auth.Role;
import dev.mooring.api.auth.User;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.DeterministicScheduler;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.sim.SimApi;
import dev.mooring.sim.SimTaskGroup;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Simulated users, which act through the API's own logic. Each {@link #step()} starts one operation, which is received,
 * decided and answered in scheduler steps. Users outlive servers; responses are recorded in {@link #acks}.
 */
public final class SimUsers {
    private static final String PREFIX = "user-";

    private final InvariantViolations violations;
    private final DeterministicScheduler scheduler;
    private final Random random;
    private final AcknowledgedWrites acks;
    private final List<String> log = new ArrayList<>();
    private final List<SimClient> clients = new ArrayList<>();
    private final List<SimClient> tenants = new ArrayList<>();
    private final TenantChecks tenantChecks;
    private Optional<Sweep> sweep = Optional.empty();
    private int steps;
    private boolean stopped;

    /** @param random used once for each step, so that a step does not depend on previous ones */
    public SimUsers(
            DeterministicScheduler scheduler,
            Random random,
            Supplier<Optional<SimApi>> api,
            InvariantViolations violations,
            Coverage coverage) {
        this.scheduler = scheduler;
        this.violations = violations;
        this.random = random;
        this.acks = new AcknowledgedWrites(violations);
        this.tenantChecks = new TenantChecks(violations);
        SimClient.ClientContext clientContext = new SimClient.ClientContext(
                new SimTaskGroup(scheduler, "users"), api, acks, log, violations, coverage, tenantChecks);
        Grant everything = new Grant(Role.ADMIN, Set.of(Grant.EVERYWHERE));
        clients.add(new SimClient(User.of(PREFIX + "alice", everything), clientContext));
        clients.add(new SimClient(User.of(PREFIX + "bob", everything), clientContext));
        tenant(PREFIX + "carol", new Grant(Role.EDIT, Set.of("team-a")), clientContext);
        tenant(PREFIX + "dave", new Grant(Role.EDIT, Set.of("default")), clientContext);
        tenant("system:node:n1", new Grant(Role.NODE, Set.of(Grant.EVERYWHERE)), clientContext);
    }

    private void tenant(String name, Grant grant, SimClient.ClientContext clientContext) {
        User user = User.of(name, grant);
        tenants.add(new SimClient(user, clientContext));
        tenantChecks.add(user);
    }

    public TenantChecks tenantChecks() {
        return tenantChecks;
    }

    /** Whether an event's actor is one of the users; all others are parts of Mooring. */
    public static boolean isUser(String actor) {
        return actor.startsWith(PREFIX);
    }

    /**
     * Starts one operation of one admin, unless users were stopped.
     *
     * @return requests sent since the last step, for people
     */
    public String step() {
        return step(clients, this::begin);
    }

    /** As {@link #step()}, for one of the identities with limited roles. */
    public String tenantStep() {
        return step(
                tenants, (context, tenant, world) -> new TenantActions(context).perform(tenant, clients.get(0), world));
    }

    private interface Action {
        void begin(ActionContext context, SimClient user, World world);
    }

    private String step(List<SimClient> users, Action action) {
        ActionContext context = ActionContext.of(new SeededRandom(new Random(random.nextLong())));
        SimClient user = context.random().one(users);
        Optional<World> world = user.world();
        if (!stopped && world.isPresent()) {
            action.begin(context, user, world.get());
        }
        String sentRequests = String.join("; ", log);
        log.clear();
        return sentRequests;
    }

    private void begin(ActionContext context, SimClient user, World world) {
        SeededRandom choices = context.random();
        CreateActions createActions = new CreateActions(context);
        int choice = choices.below(100);
        int sent = log.size();
        if (steps++ == 0) {
            createActions.createNamespace(user); // other steps need a namespace
        } else if (choice < 52) {
            createActions.perform(user, world);
        } else if (choice < 68) {
            new DeleteActions(context, createActions).perform(user, world);
        } else if (choice < 90) {
            new EditActions(context).perform(user, world);
        } else {
            new ConcurrentEditActions(context).perform(user, choices.one(clients), world);
        }
        if (choice < 90 && log.size() == sent) {
            createActions.perform(user, world); // nothing to delete or change
        }
    }

    /** Stops new operations and uncordons nodes. Operations in progress may continue. */
    public void stop() {
        stopped = true;
        SimClient user = clients.get(0);
        user.world().ifPresent(world -> {
            for (StoredObject each : world.list(Scope.resource(NamePools.NODES))) {
                if (Node.of(each).isCordoned()) {
                    user.send(EditActions.cordon(each.key(), false));
                }
            }
        });
    }

    /**
     * Deletes Pods, claims, volumes, classes, ConfigMaps, Secrets and namespaces in random order and removes users'
     * finalizers; repeats in the background until nothing is {@link #left}.
     */
    public void deleteEverything() {
        stop();
        if (sweep.isEmpty()) {
            sweep = Optional.of(new Sweep(clients.get(0), new Random(random.nextLong())));
            sweep.get().round();
        }
    }

    /** Returns the remaining objects of those that {@link #deleteEverything} deletes. */
    public List<String> left(World world) {
        return Sweep.left(world).stream().map(object -> object.key().text()).toList();
    }

    public AcknowledgedWrites acks() {
        return acks;
    }

    /** Checks convergence after faults have ended. */
    public void checkLiveness(World world) {
        new LivenessChecks(world, scheduler.clock().instant(), violations).check();
    }
}
