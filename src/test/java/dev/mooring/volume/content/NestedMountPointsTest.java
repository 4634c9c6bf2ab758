package dev.mooring.volume.content;

import static dev.mooring.volume.content.FakeObjectLookup.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NestedMountPointsTest {
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "none, v:/dir other:/elsewhere, ''",
        "one, v:/dir other:/dir/nested, nested",
        "deeper, v:/dir other:/dir/a/b/c, a/b/c",
        "only the outer of two, v:/dir o1:/dir/a o2:/dir/a/b, a",
        "outer one with a similar name in between, v:/dir o1:/dir/a o2:/dir/a-b o3:/dir/a/c, a a-b",
        "not a path with the same prefix, v:/dir other:/dir2/nested, ''",
        "two mount paths, v:/one v:/two o1:/one/x o2:/two/y, x y",
        "the volume inside itself, v:/dir v:/dir/again o1:/dir/again/x, again x",
        "not normalized, v:/dir/ other:/dir/../dir//n/./m, n/m",
        "outside of the root, v:dir other:../../dir/x, x",
        "not reserved names of the writer, v:/dir other:/dir/..data other2:/dir/..x, ''",
    })
    void nestedMountPoints_otherVolumesMountedInside_returnsRelativePaths(String title, String mounts, String nested) {
        ObjectNode pod = json(
                "{'spec': {'containers': [{'name': 'a'}], 'initContainers': [{'name': 'b', 'volumeMounts': []}]}}");
        ArrayNode list = ((ObjectNode) pod.at("/spec/containers/0")).putArray("volumeMounts");
        for (String mount : mounts.split(" ", -1)) {
            String[] parts = mount.split(":", -1);
            list.addObject().put("name", parts[0]).put("mountPath", parts[1]);
        }
        assertThat(NestedMountPoints.in(pod, "v"))
                .as(title)
                .containsExactlyElementsOf(nested.isEmpty() ? List.of() : List.of(nested.split(" ")));
    }
}
