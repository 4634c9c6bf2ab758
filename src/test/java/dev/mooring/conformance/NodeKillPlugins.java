package dev.mooring.conformance;

import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.nfs.NfsPlugin;
import dev.mooring.volume.process.CommandRunner;
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
 * The plugins of a node, with {@link NodeKillPoints} around all they are asked to do ({@code before setUp kubernetes.io/nfs}, {@code after …}) and
 * before all they do themselves. They take the place of the real ones for whoever looks for plugins with this class loader.
 */
public final class NodeKillPlugins extends ClassLoader {
    /** Those of this process, which is there for one server. */
    static final NodeKillPoints POINTS = new NodeKillPoints();

    private static final Set<String> EFFECTS =
            Set.of("attach", "detach", "mountDevice", "unmountDevice", "expand", "setUp", "tearDown");
    private static final Set<String> LOOKS = Set.of("table", "isMountPoint");
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
        int count = real().size();
        if (count > all.size()) {
            throw new IllegalStateException("Expected at most " + all.size() + " plugins, but there are " + count);
        }
        Files.write(listing, all.subList(0, count).stream().map(Class::getName).toList());
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        return name.equals(SERVICE)
                ? Collections.enumeration(List.of(listing.toUri().toURL()))
                : super.getResources(name);
    }

    private static List<VolumePluginProvider> real() {
        List<VolumePluginProvider> real = new ArrayList<>();
        ServiceLoader.load(VolumePluginProvider.class, NodeKillPlugins.class.getClassLoader())
                .forEach(real::add);
        return real;
    }

    /** Stands for the real one of the same number. */
    public abstract static class Wrapped implements VolumePluginProvider {
        private final int number;

        Wrapped(int number) {
            this.number = number;
        }

        @Override
        public VolumePlugin create(PluginParts parts) {
            PluginParts watched = new PluginParts(
                    parts.layout(),
                    stepping(Mounter.class, parts.mounter()),
                    stepping(CommandRunner.class, parts.commands()),
                    parts.calls(),
                    parts.objects(),
                    parts.clock(),
                    parts.deadline());
            VolumePlugin plugin = real().get(number).create(watched);
            // The server asks it for more than a plugin's business; and there is no NFS where this runs.
            return plugin instanceof NfsPlugin ? plugin : bracketed(plugin);
        }
    }

    private static VolumePlugin bracketed(VolumePlugin plugin) {
        Class<? extends VolumePlugin> type = plugin instanceof DevicePlugin ? DevicePlugin.class : VolumePlugin.class;
        return (VolumePlugin) Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (!EFFECTS.contains(method.getName())) {
                        return invoke(plugin, method, arguments);
                    }
                    String call = method.getName() + ' ' + plugin.name();
                    POINTS.reach("before " + call);
                    Object done = invoke(plugin, method, arguments);
                    POINTS.step();
                    POINTS.reach("after " + call);
                    return done;
                });
    }

    private static <T> T stepping(Class<T> type, T real) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (!LOOKS.contains(method.getName())) {
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

    /** Found by name. */
    public static final class First extends Wrapped {
        public First() {
            super(0);
        }
    }

    /** Found by name. */
    public static final class Second extends Wrapped {
        public Second() {
            super(1);
        }
    }

    /** Found by name. */
    public static final class Third extends Wrapped {
        public Third() {
            super(2);
        }
    }

    /** Found by name. */
    public static final class Fourth extends Wrapped {
        public Fourth() {
            super(3);
        }
    }

    /** Found by name. */
    public static final class Fifth extends Wrapped {
        public Fifth() {
            super(4);
        }
    }

    /** Found by name. */
    public static final class Sixth extends Wrapped {
        public Sixth() {
            super(5);
        }
    }

    /** Found by name. */
    public static final class Seventh extends Wrapped {
        public Seventh() {
            super(6);
        }
    }

    /** Found by name. */
    public static final class Eighth extends Wrapped {
        public Eighth() {
            super(7);
        }
    }

    /** Found by name. */
    public static final class Ninth extends Wrapped {
        public Ninth() {
            super(8);
        }
    }

    /** Found by name. */
    public static final class Tenth extends Wrapped {
        public Tenth() {
            super(9);
        }
    }
}
