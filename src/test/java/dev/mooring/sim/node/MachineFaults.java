package dev.mooring.sim.node;

import dev.mooring.sim.node.SimKernel.SimMount;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Injects faults into machines: failing calls, dying containers, stopped servers and engines, vanished and stale
 * mounts.
 */
public final class MachineFaults {
    private static final List<String> CALLS = List.of(
            "setUp",
            "setUp",
            "setUp",
            "tearDown",
            "tearDown",
            "tearDown",
            "attach",
            "detach",
            "mountDevice",
            "unmountDevice",
            "expand",
            "provision",
            "delete",
            "scrub",
            "grow",
            "info",
            "list",
            "inspect",
            "create",
            "create",
            "start",
            "start",
            "stop",
            "remove",
            "image",
            "pull",
            "follow");

    private static final String NOTHING = "nothing to do";

    private final SimStorage storage;

    public MachineFaults(SimStorage storage) {
        this.storage = storage;
    }

    /**
     * Injects one fault into one machine.
     *
     * @return its description
     */
    public String inject(Random random) {
        SimMachine machine = any(storage.machines(), random);
        return machine.name() + ' ' + inject(machine, random);
    }

    private String inject(SimMachine machine, Random random) {
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5, 6 -> arm(machine, random);
            case 7, 8 -> server(random);
            case 9 -> engine(machine, random);
            case 10, 11 -> die(machine, random);
            case 12 -> removeByHand(machine, random);
            case 13 -> vanish(machine, random);
            case 14 -> stale(machine, random);
            case 15 -> duplicate(machine, random);
            case 16 -> unreliable(machine, random);
            case 17 -> image(machine, random);
            default -> write(machine, random);
        };
    }

    private static <T> T any(List<T> list, Random random) {
        return list.get(random.nextInt(list.size()));
    }

    private static <T> Optional<T> anyOptional(List<T> list, Random random) {
        return list.isEmpty() ? Optional.empty() : Optional.of(any(list, random));
    }

    private String hit(String fault, String phase, String target) {
        storage.coverage().hit(fault, phase);
        return fault + " (" + phase + "): " + target;
    }

    private static String arm(SimMachine machine, Random random) {
        String call = any(CALLS, random);
        SimCallFault fault = any(List.of(SimCallFault.values()), random);
        machine.callFaults().arm(call, fault);
        return "the next " + call + ' ' + fault;
    }

    private String server(Random random) {
        Optional<SimNfsServer> server = anyOptional(storage.servers(), random);
        List<SimNfsServer.State> all = List.of(SimNfsServer.State.values());
        SimNfsServer.State state = random.nextInt(3) == 0 ? SimNfsServer.State.UP : any(all, random);
        server.ifPresent(each -> each.set(state));
        return server.map(each -> hit("NFS server " + state, "from now on", each.name()))
                .orElse(NOTHING);
    }

    private String engine(SimMachine machine, Random random) {
        SimEngine engine = machine.engine();
        if (engine.isDown()) {
            engine.setDown(false);
            return "engine up";
        }
        if (random.nextInt(3) == 0) {
            String done = hit("engine restarted", phase(machine), "");
            engine.restart();
            return done;
        }
        engine.setDown(true);
        return hit("engine down", phase(machine), "");
    }

    private static String phase(SimMachine machine) {
        return machine.engine().containers().live().isEmpty() ? "nothing runs" : "containers run";
    }

    private String die(SimMachine machine, Random random) {
        Optional<SimContainer> one = anyOptional(machine.engine().containers().live(), random);
        int code = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(137);
        one.ifPresent(each -> machine.engine().containers().exit(each.id(), code));
        return one.map(each -> hit(
                        "container dies",
                        each.owner().role().toString(),
                        each.facts().name()))
                .orElse(NOTHING);
    }

    private String removeByHand(SimMachine machine, Random random) {
        Optional<SimContainer> one = anyOptional(machine.engine().containers().ours(), random);
        String done = one.map(each -> hit(
                        "container removed by hand",
                        each.facts().state().toString(),
                        each.facts().name()))
                .orElse(NOTHING);
        one.ifPresent(machine.engine().containers()::removedByHand);
        return done;
    }

    private String vanish(SimMachine machine, Random random) {
        Optional<SimMount> one = anyOptional(ofServers(machine), random);
        one.ifPresent(machine::vanish);
        return one.map(each -> hit("mount vanishes", use(machine, each), each.target()))
                .orElse(NOTHING);
    }

    private static List<SimMount> ofServers(SimMachine machine) {
        return machine.kernel().all().stream()
                .filter(each -> each.type().equals("nfs4"))
                .toList();
    }

    private static String use(SimMachine machine, SimMount mount) {
        return machine.engine().containers().userOf(mount.target()).isPresent() ? "in use" : "not in use";
    }

    private String stale(SimMachine machine, Random random) {
        Optional<SimMount> one = anyOptional(ofServers(machine), random);
        one.ifPresent(machine.kernel()::makeStale);
        return one.map(each -> hit("mount goes stale", use(machine, each), each.target()))
                .orElse(NOTHING);
    }

    private String duplicate(SimMachine machine, Random random) {
        Optional<SimMount> one = anyOptional(ofServers(machine), random)
                .filter(each -> machine.kernel().depth(each.target()) == 1);
        one.ifPresent(machine.kernel()::mountAgain);
        return one.map(each -> hit("mounted twice", use(machine, each), each.target()))
                .orElse(NOTHING);
    }

    private static String unreliable(SimMachine machine, Random random) {
        boolean now = random.nextInt(3) > 0;
        machine.engine().containers().events().setUnreliable(now);
        return "engine events " + (now ? "unreliable" : "reliable");
    }

    private String image(SimMachine machine, Random random) {
        String name = any(List.of("busybox", "sometimes", "pause"), random);
        if (random.nextBoolean()) {
            machine.engine().removeImage(name);
            return hit("image removed", phase(machine), name);
        }
        boolean available = random.nextBoolean();
        machine.engine().setInRegistry(name, available);
        return hit(available ? "image in the registry" : "image not in the registry", phase(machine), name);
    }

    private static String write(SimMachine machine, Random random) {
        Optional<SimContainer> one = anyOptional(machine.engine().containers().live(), random);
        one.ifPresent(machine.engine().containers()::write);
        return one.map(each -> each.facts().name() + " writes").orElse(NOTHING);
    }

    /** Ends all faults and releases hanging calls. Stale, vanished and duplicate mounts stay for Mooring to repair. */
    public void clearFaults() {
        for (SimMachine each : storage.machines()) {
            each.callFaults().clearFaults();
            each.engine().setDown(false);
            each.engine().makeAllImagesAvailable();
            each.engine().containers().events().setUnreliable(false);
            each.engine().containers().setAllSucceed();
        }
        storage.servers().forEach(each -> each.set(SimNfsServer.State.UP));
    }
}
