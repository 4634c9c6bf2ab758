package dev.mooring.conformance;

import dev.mooring.host.CommandRunner;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;
import dev.mooring.volume.nfs.NfsPlugin;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * Class loader that provides the volume plugins of a node with {@link NodeKillPoints}: around each call of a plugin
 * ({@code before setUp kubernetes.io/nfs}, {@code after …}), and before each step that the plugin performs.
 */
public final class NodeKillPlugins extends ClassLoader {
    /** Kill points of this process, which runs one server. */
    static final NodeKillPoints POINTS = new NodeKillPoints();

    private static final Set<String> EFFECTS =
            Set.of("attach", "detach", "mountDevice", "unmountDevice", "expand", "setUp", "tearDown");
    private static final Set<String> READS = Set.of("table", "isMountPoint");
    private static final String SERVICE = "META-INF/services/" + VolumePluginProvider.class.getName();

    private final Path listing;

    /** @param listing a file that does not exist yet */
    NodeKillPlugins(Path listing) throws IOException {
        super(NodeKillPlugins.class.getClassLoader());
        this.listing = listing;
        List<Class<?>> all = List.of(
                First.class,
                Second.class,
                Third.class,
                Fourth.class,
                Fifth.class,
                Sixth.class,
                Seventh.class,
                Eighth.class,
                Ninth.class,
                Tenth.class);
        int count = realProviders().size();
        if (count > all.size()) {
            throw new IllegalStateException("At most " + all.size() + " plugins are supported, found " + count);
        }
        Files.write(listing, all.subList(0, count).stream().map(Class::getName).toList());
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        return name.equals(SERVICE)
                ? Collections.enumeration(List.of(listing.toUri().toURL()))
                : super.getResources(name);
    }

    private static List<VolumePluginProvider> realProviders() {
        List<VolumePluginProvider> real = new ArrayList<>();
        ServiceLoader.load(VolumePluginProvider.class, NodeKillPlugins.class.getClassLoader())
                .forEach(real::add);
        return real;
    }

    /** Provides the real plugin with this number, with kill points. */
    public abstract static class KillPointProvider implements VolumePluginProvider {
        private final int number;

        KillPointProvider(int number) {
            this.number = number;
        }

        @Override
        public VolumePlugin create(PluginContext context) {
            PluginContext contextWithSteps = new PluginContext(
                    context.layout(),
                    withSteps(Mounter.class, context.mounter()),
                    withSteps(CommandRunner.class, context.commands()),
                    context.calls(),
                    context.objects(),
                    context.clock(),
                    context.deadline());
            VolumePlugin plugin = realProviders().get(number).create(contextWithSteps);
            // The server calls methods that only NfsPlugin has; and these tests use no NFS.
            return plugin instanceof NfsPlugin ? plugin : withKillPoints(plugin);
        }
    }

    private static VolumePlugin withKillPoints(VolumePlugin plugin) {
        Class<? extends VolumePlugin> type = plugin instanceof DevicePlugin ? DevicePlugin.class : VolumePlugin.class;
        return (VolumePlugin) Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (!EFFECTS.contains(method.getName())) {
                        return invoke(plugin, method, arguments);
                    }
                    String call = method.getName() + ' ' + plugin.name();
                    POINTS.reach("before " + call);
                    Object result = invoke(plugin, method, arguments);
                    POINTS.step();
                    POINTS.reach("after " + call);
                    return result;
                });
    }

    private static <T> T withSteps(Class<T> type, T real) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (!READS.contains(method.getName())) {
                        POINTS.step();
                    }
                    return invoke(real, method, arguments);
                }));
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Loaded by name. */
    public static final class First extends KillPointProvider {
        public First() {
            super(0);
        }
    }

    /** Loaded by name. */
    public static final class Second extends KillPointProvider {
        public Second() {
            super(1);
        }
    }

    /** Loaded by name. */
    public static final class Third extends KillPointProvider {
        public Third() {
            super(2);
        }
    }

    /** Loaded by name. */
    public static final class Fourth extends KillPointProvider {
        public Fourth() {
            super(3);
        }
    }

    /** Loaded by name. */
    public static final class Fifth extends KillPointProvider {
        public Fifth() {
            super(4);
        }
    }

    /** Loaded by name. */
    public static final class Sixth extends KillPointProvider {
        public Sixth() {
            super(5);
        }
    }

    /** Loaded by name. */
    public static final class Seventh extends KillPointProvider {
        public Seventh() {
            super(6);
        }
    }

    /** Loaded by name. */
    public static final class Eighth extends KillPointProvider {
        public Eighth() {
            super(7);
        }
    }

    /** Loaded by name. */
    public static final class Ninth extends KillPointProvider {
        public Ninth() {
            super(8);
        }
    }

    /** Loaded by name. */
    public static final class Tenth extends KillPointProvider {
        public Tenth() {
            super(9);
        }
    }
}
