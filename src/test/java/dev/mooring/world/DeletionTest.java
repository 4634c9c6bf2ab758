package dev.mooring.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DeletionTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00.5Z");

    @Test
    void deletion_withoutFinalizersOrGracePeriod_removesObject() throws Exception {
        assertThat(Deletion.of(object("{metadata: {name: 'a'}}"), 0, NOW)).isEqualTo(new Deletion.Removed());
    }

    @Test
    void deletion_withFinalizer_marksObject() throws Exception {
        ObjectNode withFinalizer = object("{metadata: {name: 'a', finalizers: ['x/y']}}");

        Deletion deletion = Deletion.of(withFinalizer, 0, NOW);

        assertThat(deletion)
                .isEqualTo(new Deletion.Marked(object("{metadata: {name: 'a', finalizers: ['x/y'],"
                        + " deletionTimestamp: '2026-01-31T12:00:00Z', deletionGracePeriodSeconds: 0}}")));
        assertThat(withFinalizer.path("metadata").has("deletionTimestamp")).isFalse();
    }

    @Test
    void deletion_withGracePeriod_marksObject() throws Exception {
        assertThat(Deletion.of(object("{metadata: {name: 'a'}}"), 30, NOW))
                .isEqualTo(new Deletion.Marked(object("{metadata: {name: 'a',"
                        + " deletionTimestamp: '2026-01-31T12:00:30Z', deletionGracePeriodSeconds: 30}}")));
    }

    @Test
    void deletion_repeated_shortensButNeverExtendsGracePeriod() throws Exception {
        ObjectNode terminating = object("{metadata: {name: 'a', deletionTimestamp: '2026-01-31T12:00:30Z',"
                + " deletionGracePeriodSeconds: 30}}");

        assertThat(Deletion.of(terminating, 60, NOW)).isEqualTo(new Deletion.Pending());
        assertThat(Deletion.of(terminating, 30, NOW)).isEqualTo(new Deletion.Pending());
        assertThat(Deletion.of(terminating, 10, NOW))
                .isEqualTo(new Deletion.Marked(object("{metadata: {name: 'a',"
                        + " deletionTimestamp: '2026-01-31T12:00:10Z', deletionGracePeriodSeconds: 10}}")));
        assertThat(Deletion.of(terminating, 0, NOW)).isEqualTo(new Deletion.Removed());
    }

    @Test
    void deletion_repeatedWithFinalizer_staysPending() throws Exception {
        ObjectNode marked = object("{metadata: {name: 'a', finalizers: ['x/y'],"
                + " deletionTimestamp: '2026-01-31T12:00:00Z', deletionGracePeriodSeconds: 0}}");

        assertThat(Deletion.of(marked, 0, NOW)).isEqualTo(new Deletion.Pending());
        assertThat(Deletion.isDue(marked)).isFalse();
    }

    @Test
    void deletion_isDueWithoutFinalizersAfterGracePeriod() throws Exception {
        assertThat(Deletion.isDue(object("{metadata: {name: 'a', deletionTimestamp: '2026-01-31T12:00:00Z',"
                        + " deletionGracePeriodSeconds: 0}}")))
                .isTrue();
        assertThat(Deletion.isDue(object("{metadata: {name: 'a', deletionTimestamp: '2026-01-31T12:00:30Z',"
                        + " deletionGracePeriodSeconds: 30}}")))
                .as("Pod within its grace period")
                .isFalse();
        assertThat(Deletion.isDue(object("{metadata: {name: 'a'}}"))).isFalse();
    }

    @Test
    void deletion_namespaceWithSpecFinalizer_becomesTerminating() throws Exception {
        ObjectNode namespace = object("{kind: 'Namespace', metadata: {name: 'a'}, spec: {finalizers: ['kubernetes']},"
                + " status: {phase: 'Active'}}");

        Deletion.Marked marked = (Deletion.Marked) Deletion.of(namespace, 0, NOW);

        assertThat(marked.object().path("status").path("phase").asText()).isEqualTo("Terminating");
        assertThat(Deletion.isDue(marked.object())).isFalse();
    }

    private static ObjectNode object(String text) throws JsonProcessingException {
        String json = text.replace('\'', '"').replaceAll("([{,] ?)(\\w+):", "$1\"$2\":");
        return (ObjectNode) new ObjectMapper().readTree(json);
    }
}
