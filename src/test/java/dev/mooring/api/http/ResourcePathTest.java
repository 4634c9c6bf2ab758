package dev.mooring.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.resource.Catalog;
import dev.mooring.api.resource.KindTable;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.types.Schemas;
import java.time.Clock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResourcePathTest {
    private static final Catalog CATALOG = new KindTable(Schemas.ofThisProgram(), Clock.systemUTC()).catalog();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        /api/v1/persistentvolumes                                  | PersistentVolume - - -
        /api/v1/persistentvolumes/                                 | PersistentVolume - - -
        /api/v1/persistentvolumes/pv1                              | PersistentVolume - pv1 -
        /api/v1/persistentvolumes/pv1/status                       | PersistentVolume - pv1 status
        /api/v1/persistentvolumeclaims                             | PersistentVolumeClaim - - -
        /api/v1/namespaces/team/persistentvolumeclaims             | PersistentVolumeClaim team - -
        /api/v1/namespaces/team/persistentvolumeclaims/data        | PersistentVolumeClaim team data -
        /api/v1/namespaces/team/persistentvolumeclaims/data/status | PersistentVolumeClaim team data status
        /api/v1/namespaces                                         | Namespace - - -
        /api/v1/namespaces/team                                    | Namespace - team -
        /api/v1/namespaces/team/status                             | Namespace - team status
        /api/v1/namespaces/team/finalize                           | Namespace - team finalize
        /apis/storage.k8s.io/v1/storageclasses/fast                | StorageClass - fast -
        /apis/coordination.k8s.io/v1/namespaces/a/leases/l         | Lease a l -
        /apis/mooring.dev/v1/actualvolumes                         | ActualVolume - - -
        /apis/mooring.dev/v1/volumeoperations/grow-1/status        | VolumeOperation - grow-1 status
        /api/v1/namespaces/team/configmaps/a%2Fb                   | ConfigMap team a/b -
        /api/v1/namespaces/team/configmaps/a+b                     | ConfigMap team a+b -
        """)
    void parse_objectOrCollectionPath_returnsResourceRef(String path, String expected) {
        assertThat(ResourcePath.parse(path, CATALOG).map(ResourcePathTest::format))
                .contains(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/",
        "/api",
        "/api/v1",
        "/apis",
        "/apis/storage.k8s.io/v1",
        "/api/v2/pods",
        "/api/v1/nonsense",
        "/api/v1/storageclasses",
        "/apis/storage.k8s.io/v1/pods",
        "/api/v1/persistentvolumeclaims/data",
        "/api/v1/namespaces/team/persistentvolumes/pv1",
        "/api/v1/namespaces/team/pods/a/status/more",
        "/api/v1/namespaces//pods",
        "/api/v1/namespaces/team/pods//status",
        "/api/v1/namespaces/team/pods/%zz",
        "/apiv1/pods",
        "/api/v1/a/b/c/d/e/f/g/h/i"
    })
    void parse_otherPath_isEmpty(String path) {
        assertThat(ResourcePath.parse(path, CATALOG).map(ResourcePathTest::format))
                .isEmpty();
    }

    private static String format(ResourceRef target) {
        return target.kind() + " " + target.namespace().orElse("-") + " "
                + target.name().orElse("-") + " "
                + (target.subresource().isEmpty() ? "-" : target.subresource());
    }
}
