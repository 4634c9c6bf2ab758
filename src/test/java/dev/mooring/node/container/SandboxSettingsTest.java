package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.runtime.ContainerSpec.HostAlias;
import dev.mooring.runtime.ContainerSpec.HostNamespaces;
import dev.mooring.runtime.ContainerSpec.JoinedNamespaces;
import dev.mooring.runtime.ContainerSpec.NetworkMode;
import dev.mooring.runtime.ContainerSpec.OwnNamespaces;
import dev.mooring.runtime.ContainerSpec.PidMode;
import dev.mooring.runtime.ContainerSpec.Port;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SandboxSettingsTest {
    @TempDir
    Path directory;

    private ContainerSpecFixture fixture;

    @BeforeEach
    void prepare() {
        fixture = new ContainerSpecFixture(directory);
    }

    private ContainerSpec sandbox(Pod pod) throws ConfigException {
        return fixture.specs().sandbox(pod, ContainerSpecFixture.labels("", 0), "pause:1");
    }

    private OwnNamespaces own(String spec) throws ConfigException {
        return (OwnNamespaces) sandbox(ContainerSpecFixture.pod(spec)).namespaces();
    }

    @Test
    void sandbox_hasNoPrivilegesAndMinimalResources() throws ConfigException {
        ContainerSpec spec = sandbox(ContainerSpecFixture.pod(
                "{securityContext: {runAsUser: 5, fsGroup: 7, seLinuxOptions: {level: 's0:c1'}}}"));

        assertThat(spec.name()).isEqualTo("mooring_POD_web_shop_u1_0");
        assertThat(spec.image()).isEqualTo("pause:1");
        assertThat(spec.entrypoint()).isEmpty();
        assertThat(spec.binds()).isEmpty();
        assertThat(spec.labels())
                .isEqualTo(ContainerSpecFixture.labels("", 0).toLabels())
                .containsEntry(ContainerLabels.INSTANCE, "mine")
                .containsEntry("dev.mooring.role", "sandbox");
        assertThat(spec.security().readOnlyRoot()).isTrue();
        assertThat(spec.security().newPrivileges()).isFalse();
        assertThat(spec.security().privileged()).isFalse();
        assertThat(spec.security().seLinux()).isEqualTo(Map.of("level", "s0:c1"));
        assertThat(spec.security().droppedCapabilities()).containsExactly("ALL");
        assertThat(spec.resources().oomScore()).hasValue(-998);
        assertThat(spec.resources().cpuShares()).hasValue(2);
        assertThat(spec.resources().pids()).hasValue(ContainerSpecFixture.PIDS);
        assertThat(spec.namespaces())
                .isEqualTo(new OwnNamespaces(
                        NetworkMode.OWN,
                        new HostNamespaces(false, false),
                        "web",
                        Optional.empty(),
                        List.of(),
                        List.of(),
                        Map.of()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        web                                                                      | {}                                         | web
        web                                                                      | {hostname: 'front'}                        | front
        web                                                                      | {subdomain: 'sub'}                         | web
        web                                                                      | {setHostnameAsFQDN: true}                  | web
        web                                                                      | {subdomain: 'sub', setHostnameAsFQDN: true} | web.sub.shop.svc.cluster.local
        web                                                                      | {hostnameOverride: 'my.own.name', hostname: 'x', subdomain: 'sub', setHostnameAsFQDN: true} | my.own.name
        web.example                                                              | {}                                         | web.example
        a123456789b123456789c123456789d123456789e123456789f123456789g12          | {}                                         | a123456789b123456789c123456789d123456789e123456789f123456789g12
        a123456789b123456789c123456789d123456789e123456789f123456789g123456789   | {}                                         | a123456789b123456789c123456789d123456789e123456789f123456789g12
        a123456789b123456789c123456789d123456789e123456789f123456789.-.-56789    | {}                                         | a123456789b123456789c123456789d123456789e123456789f123456789
        web                                                                      | {hostNetwork: true, hostname: 'front'}     | ''
        a123456789b123456789c123456789d123456789e                                | {subdomain: 'sub', setHostnameAsFQDN: true} | CreateContainerError: failed to construct FQDN from pod hostname and cluster domain, FQDN a123456789b123456789c123456789d123456789e.sub.shop.svc.cluster.local is too long (64 characters is the max, 68 characters requested)
        """)
    void sandbox_hostName_isThatOfThePod(String name, String spec, String expected) throws InterruptedException {
        assertThat(ContainerSpecFixture.resultOf(() -> ((OwnNamespaces)
                                sandbox(ContainerSpecFixture.pod(name, spec)).namespaces())
                        .hostName()))
                .isEqualTo(expected.replace("''", ""));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {}                                         | OWN     | false | false | OWN
        {hostNetwork: true}                        | MACHINE | false | false | OWN
        {hostPID: true}                            | OWN     | true  | false | MACHINE
        {hostIPC: true}                            | OWN     | false | true  | OWN
        {shareProcessNamespace: true}              | OWN     | false | false | SANDBOX
        """)
    void sandbox_hostNamespaces_areAsInThePod(
            String spec, NetworkMode network, boolean pid, boolean ipc, PidMode processes) throws Exception {
        assertThat(own(spec).network()).isEqualTo(network);
        assertThat(own(spec).hostNamespaces()).isEqualTo(new HostNamespaces(pid, ipc));
        assertThat(fixture.container(ContainerSpecFixture.pod(spec), "{}", List.of())
                        .spec()
                        .namespaces())
                .isEqualTo(new JoinedNamespaces("the-sandbox", processes));
    }

    /** The machine has servers 127.0.0.1 and 10.0.0.53, search domain corp.example, options ndots:1 and rotate. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {}                                                       | as the machine
        {dnsPolicy: 'Default'}                                   | as the machine
        {dnsPolicy: 'ClusterFirst'}                              | as the machine
        {dnsPolicy: 'ClusterFirst', dnsConfig: {}}               | as the machine
        {dnsPolicy: 'ClusterFirst', dnsConfig: {nameservers: ['1.1.1.1']}} | [10.0.0.53, 1.1.1.1] [corp.example] [ndots:1, rotate]
        {dnsPolicy: 'Default', dnsConfig: {nameservers: ['10.0.0.53']}}    | [10.0.0.53] [corp.example] [ndots:1, rotate]
        {dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true, dnsConfig: {searches: ['a.b', 'corp.example']}} | [127.0.0.1, 10.0.0.53] [corp.example, a.b] [ndots:1, rotate]
        {dnsConfig: {options: [{name: 'ndots', value: '5'}, {name: 'edns0'}]}} | [10.0.0.53] [corp.example] [ndots:5, rotate, edns0]
        {dnsConfig: {nameservers: ['1.1.1.1', '2.2.2.2', '3.3.3.3']}} | [10.0.0.53, 1.1.1.1, 2.2.2.2] [corp.example] [ndots:1, rotate]
        {dnsPolicy: 'None', dnsConfig: {nameservers: ['1.1.1.1'], searches: ['x.y'], options: [{name: 'ndots', value: '2'}]}} | [1.1.1.1] [x.y] [ndots:2]
        {dnsPolicy: 'None', dnsConfig: {nameservers: ['1.1.1.1']}} | [1.1.1.1] [] []
        """)
    void sandbox_dns_isAsInThePod(String spec, String expected) throws ConfigException {
        assertThat(own(spec)
                        .dns()
                        .map(dns -> dns.servers() + " " + dns.searches() + " " + dns.options())
                        .orElse("as the machine"))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {}                                                         | [10.96.0.10] [shop.svc.cluster.local, svc.cluster.local, cluster.local, corp.example] [ndots:5]
        {dnsPolicy: 'ClusterFirst', hostNetwork: true}             | as the machine
        {dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true}  | [10.96.0.10] [shop.svc.cluster.local, svc.cluster.local, cluster.local, corp.example] [ndots:5]
        {dnsPolicy: 'Default'}                                     | as the machine
        {dnsConfig: {nameservers: ['1.1.1.1'], options: [{name: 'ndots', value: '2'}]}} | [10.96.0.10, 1.1.1.1] [shop.svc.cluster.local, svc.cluster.local, cluster.local, corp.example] [ndots:2]
        {dnsPolicy: 'None', dnsConfig: {nameservers: ['1.1.1.1']}} | [1.1.1.1] [] []
        """)
    void sandbox_dnsServerForServices_isUsedByClusterFirst(String spec, String expected) throws ConfigException {
        fixture.networking =
                new PodNetworking(() -> Optional.of("10.96.0.10"), Optional::empty, namespace -> List.of());
        sandbox_dns_isAsInThePod(spec, expected);
    }

    @Test
    void sandbox_dnsSearches_areLimitedToThoseOfAResolver() throws ConfigException {
        List<String> many = IntStream.range(0, 40).mapToObj(i -> "d" + i).toList();
        fixture.machineDns = new Dns(List.of(), many, List.of());

        assertThat(own("{dnsConfig: {searches: ['x']}}").dns().orElseThrow().searches())
                .isEqualTo(many.subList(0, 32));

        fixture.machineDns = new Dns(List.of(), List.of("a".repeat(2000), "b".repeat(100)), List.of());

        assertThat(own("{dnsConfig: {searches: ['x']}}").dns().orElseThrow().searches())
                .containsExactly("a".repeat(2000));
    }

    @Test
    void sandbox_dnsOfMachine_isReadOnlyIfExtended() throws ConfigException {
        fixture.machineDns = null;

        assertThat(own("{dnsPolicy: 'ClusterFirst'}").dns()).isEmpty();
        assertThat(own("{dnsPolicy: 'None', dnsConfig: {nameservers: ['1.1.1.1']}}")
                        .dns())
                .isPresent();
    }

    @Test
    void sandbox_hostAliases_becomeHosts() throws ConfigException {
        assertThat(own("{hostAliases: [{ip: '10.1.1.1', hostnames: ['a', 'b']}, {ip: '::2', hostnames: ['a']}]}")
                        .hosts())
                .containsExactly(
                        new HostAlias("a", "10.1.1.1"), new HostAlias("b", "10.1.1.1"), new HostAlias("a", "::2"));
    }

    @Test
    void sandbox_ports_areThoseOfContainersAndSidecars() throws ConfigException {
        String spec = """
            {initContainers: [
                {name: 'first', ports: [{containerPort: 1, hostPort: 1001}]},
                {name: 'side', restartPolicy: 'Always', ports: [{containerPort: 2, hostPort: 1002, protocol: 'UDP'}]}],
             containers: [
                {name: 'c', ports: [{containerPort: 80}, {containerPort: 80, hostPort: 8080, hostIP: '10.0.0.1'}]},
                {name: 'd', ports: [{containerPort: 9, hostPort: 9, protocol: 'SCTP'}, {name: 'x', containerPort: 9, hostPort: 9, protocol: 'SCTP'}]}]
            """;

        assertThat(own(spec + "}").ports())
                .containsExactly(
                        new Port("udp", 2, 1002, ""),
                        new Port("tcp", 80, 8080, "10.0.0.1"),
                        new Port("sctp", 9, 9, ""));
        assertThat(own(spec + ", hostNetwork: true}").ports()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {name: 'net.ipv4.tcp_syncookies', value: '1'}        |                      | {net.ipv4.tcp_syncookies=1}
        {name: 'net/ipv4/ping_group_range', value: '0 1'}    |                      | {net.ipv4.ping_group_range=0 1}
        {name: 'kernel.shm_rmid_forced', value: '1'}         | hostNetwork: true,   | {kernel.shm_rmid_forced=1}
        {name: 'kernel.msgmax', value: '1'}                  |                      | SysctlForbidden: forbidden sysctl: "kernel.msgmax" not allowlisted
        {name: 'net.core.somaxconn', value: '1'}             |                      | SysctlForbidden: forbidden sysctl: "net.core.somaxconn" not allowlisted
        {name: 'net.ipv4.tcp_syncookies', value: '1'}        | hostNetwork: true,   | SysctlForbidden: forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host net enabled
        {name: 'kernel.shm_rmid_forced', value: '1'}         | hostIPC: true,       | SysctlForbidden: forbidden sysctl: "kernel.shm_rmid_forced" not allowed with host ipc enabled
        """)
    void sandbox_sysctls_onlySafeNamespacedOnesAreAllowed(String sysctl, String more, String expected)
            throws InterruptedException {
        String spec = "{" + (more == null ? "" : more) + " securityContext: {sysctls: [" + sysctl + "]}}";

        assertThat(ContainerSpecFixture.resultOf(() -> own(spec).sysctls().toString()))
                .isEqualTo(expected);
    }
}
