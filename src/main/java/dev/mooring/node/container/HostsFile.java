package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.OpenFile;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.Pod;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The {@code /etc/hosts} of a Pod's containers, in the kubelet's form. There is one file for each sandbox, because its
 * address is part of it. The file is created empty with the first container and written before that container starts,
 * when the sandbox has its address; after that, containers may change it. Any thread.
 */
final class HostsFile {
    static final String TARGET = "/etc/hosts";

    private static final int PERMISSIONS = 0644;
    private static final int LIMIT = 1 << 20;

    /** No container has such a name, and the directory of containers is removed with the Pod. */
    private static final String DIRECTORY = ".etc-hosts";

    private static final String HEADER = "# Kubernetes-managed hosts file.\n";
    private static final String HOST_NETWORK_HEADER = "# Kubernetes-managed hosts file (host network).\n";
    private static final String LOCAL = """
        127.0.0.1\tlocalhost
        ::1\tlocalhost ip6-localhost ip6-loopback
        fe00::0\tip6-localnet
        fe00::0\tip6-mcastprefix
        fe00::1\tip6-allnodes
        fe00::2\tip6-allrouters
        """;

    private final NodeLayout layout;
    private final Mounter mounter;
    private final SystemCalls calls;
    private final Path ofMachine;

    /** @param ofMachine the hosts file that Pods with the machine's network start with */
    HostsFile(NodeLayout layout, Mounter mounter, SystemCalls calls, Path ofMachine) {
        this.layout = layout;
        this.mounter = mounter;
        this.calls = calls;
        this.ofMachine = ofMachine;
    }

    private Path file(String podUid, String sandbox) {
        return layout.pod(podUid).resolve("containers").resolve(DIRECTORY).resolve(sandbox);
    }

    /** Creates the file, empty, unless it exists. */
    Path make(String podUid, String sandbox) throws ConfigException {
        Path file = file(podUid, sandbox);
        try {
            mounter.makeDirectory(file.getParent());
            try (OpenDirectory directory = OpenDirectory.open(calls, file.getParent());
                    OpenFile opened =
                            TerminationLog.open(directory, file.getFileName().toString())) {
                opened.setPermissions(PERMISSIONS);
            }
        } catch (VolumeException | PathException e) {
            throw failure(e);
        }
        return file;
    }

    /** Writes the file if it is still empty. Two callers write the same. */
    void write(Pod pod, String sandbox, String address) throws ConfigException {
        Path file = file(pod.uid(), sandbox);
        try (OpenDirectory directory = OpenDirectory.open(calls, file.getParent());
                OpenFile opened =
                        TerminationLog.open(directory, file.getFileName().toString())) {
            if (opened.status().size() == 0) {
                opened.write(content(pod, address).getBytes(StandardCharsets.UTF_8));
            }
        } catch (PathException e) {
            throw failure(e);
        }
    }

    private String content(Pod pod, String address) throws ConfigException, PathException {
        return (pod.spec().path("hostNetwork").asBoolean(false)
                        ? HOST_NETWORK_HEADER + machineEntries()
                        : HEADER + LOCAL + ownEntry(pod, address))
                + aliases(pod.spec().path("hostAliases"));
    }

    private String machineEntries() throws PathException {
        try (OpenDirectory directory = OpenDirectory.open(calls, ofMachine.getParent());
                OpenFile opened =
                        directory.openFileToRead(ofMachine.getFileName().toString())) {
            return new String(opened.read(LIMIT), StandardCharsets.UTF_8);
        } catch (PathException e) {
            if (e.isMissing()) {
                return "";
            }
            throw e;
        }
    }

    private static String ownEntry(Pod pod, String address) throws ConfigException {
        if (address.isEmpty()) {
            return "";
        }
        String name = SandboxSettings.shortHostName(pod);
        String domain = SandboxSettings.domain(pod);
        return address + '\t' + (domain.isEmpty() ? "" : name + '.' + domain + '\t') + name + '\n';
    }

    private static String aliases(JsonNode aliases) {
        if (aliases.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder("\n# Entries added by HostAliases.\n");
        for (JsonNode alias : aliases) {
            List<String> names = new ArrayList<>();
            alias.path("hostnames").forEach(name -> names.add(name.asText("")));
            text.append(alias.path("ip").asText(""))
                    .append('\t')
                    .append(String.join("\t", names))
                    .append('\n');
        }
        return text.toString();
    }

    private static ConfigException failure(Exception e) {
        return ConfigException.createError("cannot write the hosts file of the Pod: " + e.getMessage());
    }
}
