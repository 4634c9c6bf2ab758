package dev.mooring.model.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.WorldFixture;
import org.junit.jupiter.api.Test;

class NfsSourceTest {
    @Test
    void repair_serverUnreachable_alsoOffersToStartItOrToCorrectItsAddress() {
        SourceType.RepairCommand repair = new NfsSource()
                .repair(
                        "ServerUnreachable",
                        WorldFixture.objects("{nfs: {server: 10.0.0.5, path: /a}}")
                                .get(0))
                .orElseThrow();

        assertThat(repair.text())
                .contains("Start the NFS server on machine 10.0.0.5 (systemctl start nfs-server)", "nfs.server");
        assertThat(repair.arguments()).containsExactly("rpcinfo", "-p", "10.0.0.5");
    }
}
