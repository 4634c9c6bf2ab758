package dev.mooring.api.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.api.StatusException;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which container's log is served for each state, with the kubelet's rules and messages. */
class PodContainersTest {
    private static final String ENDED = "'terminated':{'containerID':'docker://old'}";

    private static PodContainers pod(String state, String last) {
        String status = state.equals("-")
                ? ""
                : "{'name':'c','containerID':'docker://now','state':{" + state + "},'lastState':{" + last + "}}";
        String json = "{'metadata':{'name':'p','namespace':'n','uid':'u'},'spec':{'nodeName':'here',"
                + "'initContainers':[{'name':'i'}],'containers':[{'name':'c'},{'name':'d','tty':true}]},"
                + "'status':{'containerStatuses':[" + status + "]}}";
        return new PodContainers(Pod.of(
                new StoredObject(Pod.key("n", "p"), 1, json.replace('\'', '"').getBytes(StandardCharsets.UTF_8))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        'running':{}                                                        |       | docker://now
        'terminated':{'containerID':'docker://ended'}                       |       | docker://ended
        'terminated':{}                                                     | ENDED | docker://old
        'terminated':{}                                                     |       | container "c" in pod "p" is terminated
        'waiting':{'reason':'CrashLoopBackOff'}                             | ENDED | docker://old
        'waiting':{'reason':'ContainerCreating'}                            |       | container "c" in pod "p" is waiting to start: ContainerCreating
        'waiting':{'reason':'PodInitializing'}                              |       | container "c" in pod "p" is waiting to start: PodInitializing
        'waiting':{'reason':'ErrImagePull'}                                 |       | container "c" in pod "p" is waiting to start: image can't be pulled
        'waiting':{'reason':'ImagePullBackOff'}                             |       | container "c" in pod "p" is waiting to start: trying and failing to pull image
                                                                            |       | container "c" in pod "p" is waiting to start - no logs yet
        -                                                                   |       | container "c" in pod "p" is not available
        """)
    void logContainer_current_isNewestContainerOrReasonForNone(String state, String last, String expected) {
        PodContainers containers = pod(state == null ? "" : state, last == null ? "" : ENDED);
        if (expected.startsWith("docker:")) {
            assertThat(containers.logContainer("c", false))
                    .isEqualTo(new ContainerAccess.ContainerRef("here", "n", "p", "u", "c", expected));
        } else {
            assertThatThrownBy(() -> containers.logContainer("c", false))
                    .isInstanceOf(StatusException.class)
                    .extracting(e -> ((StatusException) e).status().message())
                    .isEqualTo(expected);
        }
    }

    @Test
    void logContainer_previous_isLastTerminatedContainer() {
        assertThat(pod("'running':{}", ENDED).logContainer("c", true).bareId()).isEqualTo("old");
        assertThatThrownBy(() -> pod("'running':{}", "").logContainer("c", true))
                .extracting(e -> ((StatusException) e).status().message())
                .isEqualTo("previous terminated container \"c\" in pod \"p\" not found");
    }

    @Test
    void choose_severalContainers_requiresNameIncludingInitContainers() {
        assertThatThrownBy(() -> pod("", "").choose(""))
                .extracting(e -> ((StatusException) e).status().message())
                .isEqualTo("a container name must be specified for pod p, choose one of: [i c d]");
        assertThat(pod("", "").choose("i")).isEqualTo("i");
        assertThat(pod("", "").hasTerminal("d")).isTrue();
        assertThat(pod("", "").hasTerminal("c")).isFalse();
    }
}
