package dev.mooring.node.network;

import dev.mooring.control.Effect;
import dev.mooring.control.EffectExecutor;
import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.ServiceRange;
import dev.mooring.model.view.Service;
import dev.mooring.node.network.ServiceEndpoints.ReadyEndpoint;
import dev.mooring.node.network.ServiceListeners.Listener;
import dev.mooring.runtime.EngineException;
import dev.mooring.world.World;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives Services their addresses on this machine (ADR 45). A local route makes the kernel accept connections to every
 * address of the range; listeners forward them to ready endpoints, which are chosen for each connection by the newest
 * World. The DNS server resolves names to the addresses.
 *
 * <p>Everything is repeated periodically until it succeeds: the route, the DNS server and listeners whose port is in
 * use. Survives restarts of the controller. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the closed channel reports a failure
public final class ServiceNetwork implements EffectExecutor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceNetwork.class);

    private static final Duration COMMAND_DEADLINE = Duration.ofSeconds(10);
    private static final long REPEAT_SECONDS = 15;

    /** Repetitions until a network that works is checked again: another program may have removed the route. */
    private static final int CHECK_EVERY = 8;

    private static final int EVENT_LOOPS = 2;

    private final ServiceRange range;
    private final NetworkDependencies dependencies;
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
            EVENT_LOOPS, new DefaultThreadFactory("services", true), NioIoHandler.newFactory());
    private final TcpProxy proxy = new TcpProxy(group);
    private final DnsServer dns;
    private final CountDownLatch firstAttempt = new CountDownLatch(1);

    private final Map<ObjectKey, List<Listener>> desired = new HashMap<>(); // guarded by this
    private final Map<OpenKey, OpenListener> open = new HashMap<>(); // guarded by this
    private boolean closed; // guarded by this
    private volatile List<ServiceRange> podNetworks = List.of();
    private volatile List<InetSocketAddress> upstream = List.of();
    private volatile boolean routed;
    private int repetitions; // used by one event loop
    private volatile Optional<String> problem = Optional.of("not set up yet");

    private record OpenKey(String address, int port) {}

    /** @param channel empty while it is being opened */
    private record OpenListener(ObjectKey service, Listener listener, Optional<Channel> channel) {}

    /**
     * What the network depends on.
     *
     * @param commands runs {@code ip}
     * @param podNetworks returns the IPv4 networks of Pods, as the engine reports them; blocks
     * @param machineDns returns the machine's DNS servers; blocks
     * @param threads for blocking work
     * @param random distributes connections
     */
    public record NetworkDependencies(
            Supplier<World> world,
            CommandRunner commands,
            PodNetworks podNetworks,
            Supplier<List<String>> machineDns,
            Executor threads,
            Random random) {}

    /** Returns the networks of Pods. */
    @FunctionalInterface
    public interface PodNetworks {
        List<String> read() throws EngineException, InterruptedException;
    }

    public ServiceNetwork(ServiceRange range, NetworkDependencies dependencies) {
        this.range = range;
        this.dependencies = dependencies;
        this.dns = new DnsServer(group, dependencies.world(), this::isPermitted, () -> upstream);
    }

    /** Starts to set up the network, in the background. */
    public void start() {
        group.next().scheduleWithFixedDelay(this::repeat, 0, REPEAT_SECONDS, TimeUnit.SECONDS);
    }

    private void repeat() {
        if (problem.isEmpty() && !isAnyMissing() && ++repetitions % CHECK_EVERY != 0) {
            return;
        }
        try {
            dependencies.threads().execute(this::setUp);
        } catch (RejectedExecutionException e) {
            LOG.debug("Executor is shut down; ignoring task");
        }
    }

    private void setUp() {
        Optional<String> found = Optional.empty();
        try {
            List<ServiceRange> networks = new ArrayList<>();
            for (String each : dependencies.podNetworks().read()) {
                ServiceRange.network(each).ifPresent(networks::add);
            }
            podNetworks = List.copyOf(networks);
            List<InetSocketAddress> servers = new ArrayList<>();
            for (String each : dependencies.machineDns().get()) {
                if (!each.equals(range.dns())) {
                    servers.add(new InetSocketAddress(each, DnsServer.PORT));
                }
            }
            upstream = List.copyOf(servers);
            addRoute();
            routed = true;
            // Not under the lock: event loops take it, and one of them must do the work.
            dns.open(new InetSocketAddress(address(range.dns()), DnsServer.PORT));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        } catch (EngineException e) {
            found = Optional.of("the engine does not report the network of Pods: " + e.getMessage());
        } catch (CommandException | NetworkException e) {
            found = Optional.of(String.valueOf(e.getMessage()));
        } catch (Exception e) { // sync() throws what binding threw, checked or not
            found = Optional.of("cannot listen on " + range.dns() + ":" + DnsServer.PORT + ": " + e.getMessage()
                    + "; another process may use port 53 of all addresses: ss -lunp 'sport = :53'");
        }
        report(found);
        firstAttempt.countDown();
        List<ObjectKey> services;
        synchronized (this) {
            services = List.copyOf(desired.keySet());
        }
        services.forEach(this::apply);
    }

    private void report(Optional<String> found) {
        if (found.isPresent() && !found.equals(problem)) {
            LOG.warn("Failed to set up the network of Services; retrying range={}: {}", range, found.get());
        } else if (found.isEmpty() && problem.isPresent()) {
            LOG.info("Set up the network of Services range={} dns={}", range, range.dns());
        }
        problem = found;
    }

    /** Returns why Services do not work; empty if they do. */
    public Optional<String> problem() {
        return problem;
    }

    /** Returns the DNS server for a new Pod; empty if there is none. Waits for the first attempt to set it up. */
    public Optional<String> dnsServer() {
        try {
            if (!firstAttempt.await(COMMAND_DEADLINE.toMillis(), TimeUnit.MILLISECONDS)) {
                return Optional.empty();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        return dns.isOpen() ? Optional.of(range.dns()) : Optional.empty();
    }

    /** A reason why the machine's network cannot be used. */
    private static final class NetworkException extends Exception {
        private static final long serialVersionUID = 1;

        NetworkException(String message) {
            super(message);
        }
    }

    private void addRoute() throws CommandException, InterruptedException, NetworkException {
        CommandResult routes = ip("-4", "route", "show", "table", "all");
        String own = "local " + range + " dev lo ";
        for (String line : routes.output().lines().toList()) {
            if ((line + ' ').startsWith(own)) {
                return;
            }
            String[] words = line.split("\\s+", -1);
            String network = words.length > 1 && Character.isLetter(words[0].charAt(0)) ? words[1] : words[0];
            Optional<ServiceRange> used = ServiceRange.network(network.indexOf('/') < 0 ? network + "/32" : network);
            if (used.filter(each -> each.prefix() > 0 && (each.contains(range.base()) || range.contains(each.base())))
                    .isPresent()) {
                throw new NetworkException("the range " + range + " overlaps the machine's route \"" + line.strip()
                        + "\"; choose another range with the setting services.range");
            }
        }
        ip("route", "add", "local", range.toString(), "dev", "lo");
    }

    private CommandResult ip(String... arguments) throws CommandException, InterruptedException, NetworkException {
        Command command = Command.of(COMMAND_DEADLINE, "ip", arguments);
        CommandResult result = dependencies.commands().run(command);
        if (!result.succeeded()) {
            throw new NetworkException("`" + command + "` failed: "
                    + result.errorOrOutput().strip() + "; the server needs the capability CAP_NET_ADMIN for Services");
        }
        return result;
    }

    /**
     * Returns whether a client may use the addresses of Services: Pods and this machine. A machine in the local network
     * could otherwise use them through a route of its own.
     */
    private boolean isPermitted(InetAddress client) {
        Optional<Integer> address = ServiceRange.address(client.getHostAddress());
        if (client.isLoopbackAddress()
                || address.filter(each -> range.contains(each)
                                || podNetworks.stream().anyMatch(network -> network.contains(each)))
                        .isPresent()) {
            return true;
        }
        try {
            return NetworkInterface.getByInetAddress(client) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    @Override
    public void execute(Effect effect) {
        ServiceListeners wanted = (ServiceListeners) effect;
        synchronized (this) {
            if (wanted.listeners().isEmpty()) {
                desired.remove(wanted.service());
            } else {
                desired.put(wanted.service(), wanted.listeners());
            }
        }
        apply(wanted.service());
    }

    /** Closes the listeners that a Service must not have, and opens the missing ones. */
    private synchronized void apply(ObjectKey service) {
        List<Listener> wanted = desired.getOrDefault(service, List.of());
        List<OpenKey> stale = new ArrayList<>();
        open.forEach((key, each) -> {
            if (each.service().equals(service) && !wanted.contains(each.listener())) {
                stale.add(key);
            }
        });
        for (OpenKey key : stale) {
            OpenListener removed = open.remove(key);
            removed.channel().ifPresent(channel -> channel.close().addListener(done -> applyAllMissing()));
        }
        for (Listener each : wanted) {
            OpenKey key = new OpenKey(each.address(), each.port());
            if (!closed && !open.containsKey(key) && (each.isNodePort() || routed)) {
                open.put(key, new OpenListener(service, each, Optional.empty()));
                listen(key, service, each);
            }
        }
    }

    /** Opens listeners whose address was in use until now. */
    private void applyAllMissing() {
        missing().forEach(this::apply);
    }

    private boolean isAnyMissing() {
        return !missing().isEmpty();
    }

    /** Returns the Services that lack a listener. */
    private synchronized List<ObjectKey> missing() {
        return desired.entrySet().stream()
                .filter(each -> each.getValue().stream()
                        .anyMatch(one -> !open.containsKey(new OpenKey(one.address(), one.port()))))
                .map(Map.Entry::getKey)
                .toList();
    }

    private void listen(OpenKey key, ObjectKey service, Listener listener) {
        ChannelFuture bound = proxy.listen(
                new InetSocketAddress(address(key.address()), key.port()),
                listener.isNodePort() ? client -> true : this::isPermitted,
                client -> backends(service, listener.portName(), client));
        bound.addListener(done -> opened(key, service, listener, bound));
    }

    private synchronized void opened(OpenKey key, ObjectKey service, Listener listener, ChannelFuture bound) {
        OpenListener current = open.get(key);
        boolean wanted = !closed
                && current != null
                && current.service().equals(service)
                && current.listener().equals(listener)
                && current.channel().isEmpty();
        if (!bound.isSuccess()) {
            if (wanted) {
                open.remove(key);
            }
            LOG.warn(
                    "Failed to listen; retrying service={} address={}:{}: {}",
                    service,
                    key.address(),
                    key.port(),
                    Objects.toString(bound.cause()));
        } else if (wanted) {
            open.put(key, new OpenListener(service, listener, Optional.of(bound.channel())));
        } else {
            bound.channel().close().addListener(done -> applyAllMissing());
        }
    }

    /** Returns the ready endpoints in random order, or with affinity in an order that depends on the client. */
    private List<InetSocketAddress> backends(ObjectKey key, String portName, InetAddress client) {
        World world = dependencies.world().get();
        List<ReadyEndpoint> ready = new ArrayList<>(ServiceEndpoints.ofPort(world, key, portName));
        if (world.get(key).map(Service::of).filter(Service::hasAffinity).isPresent()) {
            ready.sort(Comparator.comparingInt(each -> (each.address() + client.getHostAddress()).hashCode()));
        } else {
            Collections.shuffle(ready, dependencies.random());
        }
        return ready.stream()
                .filter(each -> ServiceRange.address(each.address()).isPresent())
                .map(each -> new InetSocketAddress(address(each.address()), each.port()))
                .toList();
    }

    /** Returns an IPv4 address without a name lookup. */
    private static InetAddress address(String text) {
        int value = ServiceRange.address(text).orElseThrow();
        try {
            return InetAddress.getByAddress(
                    new byte[] {(byte) (value >>> 24), (byte) (value >>> 16), (byte) (value >>> 8), (byte) value});
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Closes all listeners. The route stays, as Docker's bridge does: the queries and connections of Pods that keep
     * running then fail at once, instead of leaving the machine.
     */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            open.values().forEach(each -> each.channel().ifPresent(Channel::close));
            open.clear();
        }
        dns.close();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
