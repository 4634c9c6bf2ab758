package dev.mooring.node.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.node.volumemanager.Operation;
import dev.mooring.node.volumemanager.OperationObserver.Result;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OperationDurationMetricsTest {
    @Test
    void metrics_haveNameLabelsAndBucketsOfTheKubelet() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        OperationDurationMetrics metrics = new OperationDurationMetrics(registry);
        metrics.onOperationEnded(Operation.MOUNT, "kubernetes.io/nfs", Result.SUCCESS, Duration.ofMillis(200));
        metrics.onOperationEnded(Operation.MOUNT, "kubernetes.io/nfs", Result.SUCCESS, Duration.ofMillis(300));
        metrics.onOperationEnded(Operation.MOUNT_DEVICE, "kubernetes.io/csi", Result.FAILURE, Duration.ofSeconds(2));

        String text = registry.scrape();

        String mount = "{migrated=\"false\",operation_name=\"volume_mount\",status=\"success\","
                + "volume_plugin=\"kubernetes.io/nfs\"";
        assertThat(text.lines())
                .contains(
                        "# TYPE storage_operation_duration_seconds histogram",
                        "storage_operation_duration_seconds_bucket" + mount + ",le=\"0.1\"} 0",
                        "storage_operation_duration_seconds_bucket" + mount + ",le=\"0.25\"} 1",
                        "storage_operation_duration_seconds_bucket" + mount + ",le=\"600.0\"} 2",
                        "storage_operation_duration_seconds_count" + mount + "} 2",
                        "storage_operation_duration_seconds_sum" + mount + "} 0.5",
                        "storage_operation_duration_seconds_count{migrated=\"false\",operation_name=\"mount_device\","
                                + "status=\"fail-unknown\",volume_plugin=\"kubernetes.io/csi:block.mooring.dev\"} 1");
    }
}
