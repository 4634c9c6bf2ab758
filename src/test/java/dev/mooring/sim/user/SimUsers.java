package dev.mooring.sim.user;

import dev.mooring.api.auth.Grant;
import dev.mooring.api.auth.Role;
import dev.mooring.api.auth.User;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.Findings;
import dev.mooring.sim.Living;
import dev.mooring.sim.Schedule;
import dev.mooring.sim.SimApi;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A few users who do whatever people do, through the API's own logic. Each {@link #act} starts one operation; it arrives, is decided and answered in
 * steps of the schedule. Users outlive servers; what they were told is in {@link #acks}.
 */
public final class SimUsers {
    private static final String PREFIX = "user-";

    private final Findings findings;
    private final Schedule schedule;
    private final Random random;
    private final Acks acks;
    private final List<String> news = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private Optional<Sweep> sweep = Optional.empty();
    private int acts;
    private boolean calm;

    /** @param random asked once for each act, so that an act is the same whatever was done before it */
    public SimUsers(
            Schedule schedule, Random random, Supplier<Optional<SimApi>> api, Findings findings, Coverage coverage) {
        this.schedule = schedule;
        this.findings = findings;
        this.random = random;
        this.acks = new Acks(findings);
        Client.Surroundings around =
                new Client.Surroundings(new Living(schedule, "users"), api, acks, news, findings, coverage);
        Grant everything = new Grant(Role.ADMIN, Set.of(Grant.EVERYWHERE));
        Grant some = new Grant(Role.EDIT, Set.of("default", "team-a", "team-b"));
        clients.add(new Client(User.of(PREFIX + "alice", everything), around));
        clients.add(new Client(User.of(PREFIX + "bob", everything), around));
        clients.add(new Client(User.of(PREFIX + "carol", some), around));
    }

    /** Whether an event's actor is one of the users; all others are parts of Mooring. */
    public static boolean isUser(String actor) {
        return actor.startsWith(PREFIX);
    }

    /**
     * Starts one operation of one user, unless they have calmed down.
     *
     * @return what users have sent since the last time, for people
     */
    public String act() {
        Acting acting = Acting.of(new Chance(new Random(random.nextLong())));
        Client user = acting.chance().one(clients);
        Optional<World> world = user.world();
        if (!calm && world.isPresent()) {
            begin(acting, user, world.get());
        }
        String told = String.join("; ", news);
        news.clear();
        return told;
    }

    private void begin(Acting acting, Client user, World world) {
        Chance chance = acting.chance();
        Creating creating = new Creating(acting);
        int what = chance.below(100);
        int sent = news.size();
        if (acts++ == 0) {
            creating.home(user); // there must be somewhere to put the rest
        } else if (what < 52) {
            creating.act(user, world);
        } else if (what < 68) {
            new Deleting(acting, creating).act(user, world);
        } else if (what < 90) {
            new Editing(acting).act(user, world);
        } else {
            new Racing(acting).act(user, chance.one(clients), world);
        }
        if (what < 90 && news.size() == sent) {
            creating.act(user, world); // there was nothing to delete or to change
        }
    }

    /** From now on nobody does anything new; nodes that were cordoned are opened again. What was begun may go on. */
    public void calm() {
        calm = true;
        Client user = clients.get(0);
        user.world().ifPresent(world -> {
            for (StoredObject each : world.list(Scope.resource(Pools.NODES))) {
                if (Node.of(each).isCordoned()) {
                    user.send(Editing.cordon(each.key(), false));
                }
            }
        });
    }

    /**
     * Deletes Pods, claims, volumes, classes, ConfigMaps, Secrets and namespaces, in an order that chance decides, and takes the users' finalizers
     * off; again and again in the background, until nothing is {@link #left}.
     */
    public void deleteEverything() {
        calm();
        if (sweep.isEmpty()) {
            sweep = Optional.of(new Sweep(clients.get(0), new Random(random.nextLong())));
            sweep.get().round();
        }
    }

    /** What is still there of what {@link #deleteEverything} deletes. */
    public List<String> left(World world) {
        return Sweep.left(world).stream().map(object -> object.key().text()).toList();
    }

    public Acks acks() {
        return acks;
    }

    /** Reports what must be so when faults have ended and time enough has passed, and is not. */
    public void expectations(World world) {
        new Expectations(world, schedule.clock().instant(), findings).check();
    }
}
