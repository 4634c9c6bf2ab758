package dev.mooring.model.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.ClassParameters.Problem;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClassParametersTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        hostpath | createMissingVolume | true
        hostpath | createMissingVolume | false
        hostpath | pathPattern         | ${pvc.namespace}/${pvc.name}
        hostpath | basePath            | /srv/volumes
        hostpath | basePath            | /srv/with space
        hostpath | mode                | 0770
        hostpath | mode                | 777
        hostpath | mode                | 0000
        hostpath | uid                 | 0
        hostpath | gid                 | 2147483647
        hostpath | onDelete            | archive
        local    | mode                | 0700
        local    | onDelete            | retain
        nfs      | server              | nas.example.com
        nfs      | server              | 10.0.0.7
        nfs      | server              | fd00::1
        nfs      | server              | [fd00::1]
        nfs      | share               | /
        nfs      | share               | /exports/k8s
        nfs      | subDir              | ${pv.name}
        nfs      | mountPermissions    | 0777
        nfs      | onDelete            | delete
        block    | fsType              | xfs
        block    | fsType              | ext4
        block    | csi.storage.k8s.io/fstype | xfs
        block    | overcommit          | true
        block    | basePath            | /srv/images
        """)
    void parameter_validValue_isAccepted(String provisioner, String key, String value) {
        assertThat(ClassParameters.problems("mooring.dev/" + provisioner, Map.of(key, value), "Delete"))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        hostpath | createMissingVolume | yes                | must be one of true, false
        hostpath | createMissingVolume | ""                 | must be one of true, false
        hostpath | createMissingVolume | True               | must be one of true, false
        hostpath | pathPattern         | ../${pv.name}      | must not contain the segment '..'
        hostpath | pathPattern         | /${pv.name}        | must be a relative path
        hostpath | pathPattern         | ""                 | must not be empty
        hostpath | pathPattern         | ${pv.nam}          | unknown variable "pv.nam"; expected pv.name
        hostpath | basePath            | ""                 | must be an absolute path
        hostpath | basePath            | srv/volumes        | must be an absolute path
        hostpath | basePath            | /                  | must not be the root directory
        hostpath | basePath            | /srv/../etc        | must be normalized: without '.', '..', '//' and a '/' at the end
        hostpath | basePath            | /srv/./x           | must be normalized: without '.', '..', '//' and a '/' at the end
        hostpath | basePath            | /srv//x            | must be normalized: without '.', '..', '//' and a '/' at the end
        hostpath | basePath            | /srv/              | must be normalized: without '.', '..', '//' and a '/' at the end
        hostpath | basePath            | //                 | must be normalized: without '.', '..', '//' and a '/' at the end
        hostpath | basePath            | /srv/.mooring      | segments must not begin with '.mooring'
        hostpath | mode                | 0888               | must be an octal number from 0000 to 0777, such as 0770
        hostpath | mode                | 1777               | must be an octal number from 0000 to 0777, such as 0770
        hostpath | mode                | 00777              | must be an octal number from 0000 to 0777, such as 0770
        hostpath | mode                | 7                  | must be an octal number from 0000 to 0777, such as 0770
        hostpath | mode                | -77                | must be an octal number from 0000 to 0777, such as 0770
        hostpath | mode                | u=rwx              | must be an octal number from 0000 to 0777, such as 0770
        hostpath | mode                | ""                 | must be an octal number from 0000 to 0777, such as 0770
        hostpath | mode                | ٠٧٧٠               | must be an octal number from 0000 to 0777, such as 0770
        hostpath | uid                 | -1                 | must be a number from 0 to 2147483647
        hostpath | uid                 | 2147483648         | must be a number from 0 to 2147483647
        hostpath | uid                 | 99999999999999999999 | must be a number from 0 to 2147483647
        hostpath | gid                 | users              | must be a number from 0 to 2147483647
        hostpath | gid                 | ""                 | must be a number from 0 to 2147483647
        hostpath | onDelete            | Delete             | must be one of delete, retain, archive
        hostpath | onDelete            | ""                 | must be one of delete, retain, archive
        hostpath | pathPatern          | x                  | unknown parameter of mooring.dev/hostpath; did you mean "pathPattern"?
        hostpath | basepath            | /srv               | unknown parameter of mooring.dev/hostpath; did you mean "basePath"?
        hostpath | server              | nas                | unknown parameter of mooring.dev/hostpath; known parameters are basePath, createMissingVolume, gid, mode, onDelete, pathPattern, uid
        local    | share               | /x                 | unknown parameter of mooring.dev/local; known parameters are basePath, createMissingVolume, gid, mode, onDelete, pathPattern, uid
        hostpath | subDir              | x                  | unknown parameter of mooring.dev/hostpath; known parameters are basePath, createMissingVolume, gid, mode, onDelete, pathPattern, uid
        nfs      | server              | ""                 | must be the name or the address of a host
        nfs      | server              | -o                 | must be the name or the address of a host
        nfs      | server              | nas:/exports       | must be the name or the address of a host
        nfs      | server              | nas,rw             | must be the name or the address of a host
        nfs      | server              | a..b               | must be the name or the address of a host
        nfs      | server              | näs                | must be the name or the address of a host
        nfs      | server              | [::1               | must be the name or the address of a host
        nfs      | share               | exports            | must be an absolute path
        nfs      | share               | /exports/..        | must be normalized: without '.', '..', '//' and a '/' at the end
        nfs      | share               | /a,b               | must not contain spaces or commas
        nfs      | share               | ""                 | must be an absolute path
        nfs      | subDir              | ${pvc.metadata.name}/.. | unknown variable "pvc.metadata.name"; expected pvc.name
        nfs      | mountPermissions    | 0                  | must be an octal number from 0000 to 0777, such as 0770
        nfs      | archiveOnDelete     | true               | unknown parameter of mooring.dev/nfs; known parameters are basePath, createMissingVolume, gid, mode, mountPermissions, onDelete, pathPattern, server, share, subDir, uid
        block    | fsType              | btrfs              | must be one of ext4, xfs
        block    | overcommit          | 1                  | must be one of true, false
        block    | mode                | 0777               | unknown parameter of mooring.dev/block; known parameters are basePath, createMissingVolume, csi.storage.k8s.io/fstype, fsType, onDelete, overcommit, pathPattern
        block    | fstype              | ext4               | unknown parameter of mooring.dev/block; did you mean "fsType"?
        """)
    void parameter_invalidNameOrValue_isRejected(String provisioner, String key, String value, String message) {
        String text = value == null ? "" : value;
        assertThat(ClassParameters.problems("mooring.dev/" + provisioner, Map.of(key, text), "Delete"))
                .containsExactly(new Problem(key, text, message));
    }

    @Test
    void parameter_controlCharactersOrTooLong_isRejected() {
        assertThat(singleProblem("mooring.dev/local", "basePath", "/srv/a\0b"))
                .isEqualTo("must not contain control characters");
        assertThat(singleProblem("mooring.dev/local", "basePath", "/srv/a\nb"))
                .isEqualTo("must not contain control characters");
        assertThat(singleProblem("mooring.dev/local", "basePath", "/" + "a".repeat(1024)))
                .isEqualTo("must be no more than 1024 characters");
        assertThat(singleProblem("mooring.dev/nfs", "server", "a".repeat(254)))
                .isEqualTo("must be the name or the address of a host");
        assertThat(singleProblem("mooring.dev/nfs", "x".repeat(100_000), ""))
                .startsWith("unknown parameter of mooring.dev/nfs");
    }

    private static String singleProblem(String provisioner, String key, String value) {
        List<Problem> problems = ClassParameters.problems(provisioner, Map.of(key, value), "Delete");
        assertThat(problems).hasSize(1);
        return problems.get(0).message();
    }

    @Test
    void parameters_bothAliasesOfOneSetting_areRejected() {
        Map<String, String> both =
                new TreeMap<>(Map.of("pathPattern", "a", "subDir", "b", "mode", "0700", "mountPermissions", "0770"));
        assertThat(ClassParameters.problems("mooring.dev/nfs", both, "Delete"))
                .containsExactly(
                        new Problem("subDir", "b", "means the same as pathPattern: use only one of them"),
                        new Problem("mountPermissions", "0770", "means the same as mode: use only one of them"));
    }

    @Test
    void onDelete_withReclaimPolicyRetain_isRejected() {
        for (String value : List.of("delete", "retain", "archive")) {
            assertThat(ClassParameters.problems("mooring.dev/nfs", Map.of("onDelete", value), "Retain"))
                    .containsExactly(new Problem(
                            "onDelete",
                            value,
                            "has no effect with reclaimPolicy Retain: leave it out, or use reclaimPolicy Delete"));
        }
    }

    @Test
    void parameters_ofOtherProvisioners_areNotChecked() {
        Map<String, String> parameters = Map.of("pathPattern", "../..");
        assertThat(ClassParameters.problems("vendor.com/my-volume", parameters, "Retain"))
                .isEmpty();
        assertThat(ClassParameters.problems("kubernetes.io/no-provisioner", parameters, "Delete"))
                .isEmpty();
        assertThat(ClassParameters.problems("mooring.dev/unknown", parameters, "Delete"))
                .isEmpty();
    }

    @Test
    void provisioner_unknown_isRejectedWithKnownNames() {
        for (String each : List.of("hostpath", "local", "nfs", "block")) {
            assertThat(ClassParameters.isKnownProvisioner("mooring.dev/" + each))
                    .isTrue();
        }
        assertThat(ClassParameters.isKnownProvisioner("mooring.dev/hostPath")).isFalse();
        assertThat(ClassParameters.isKnownProvisioner("vendor.com/x")).isFalse();
        assertThat(ClassParameters.unknownProvisioner("mooring.dev/hostPath"))
                .isEqualTo("is not a provisioner of Mooring; did you mean \"mooring.dev/hostpath\"? Known provisioners"
                        + " are mooring.dev/hostpath, mooring.dev/local, mooring.dev/nfs, mooring.dev/block");
        assertThat(ClassParameters.unknownProvisioner("mooring.dev/a-very-different-one"))
                .isEqualTo("is not a provisioner of Mooring; known provisioners are mooring.dev/hostpath,"
                        + " mooring.dev/local, mooring.dev/nfs, mooring.dev/block");
    }

    @Test
    void parameters_empty_haveDefaults() {
        ClassParameters none = ClassParameters.of(Map.of());
        assertThat(none.createsMissingVolume()).isFalse();
        assertThat(none.pathPattern()).hasToString("${pv.name}");
        assertThat(none.mode()).isEqualTo(0777);
        assertThat(none.fsType()).isEqualTo("ext4");
        assertThat(none.overcommits()).isFalse();
        assertThat(List.<Optional<?>>of(
                        none.basePath(), none.onDelete(), none.uid(), none.gid(), none.server(), none.share()))
                .allMatch(Optional::isEmpty);
    }

    @Test
    void parameters_set_areRead() {
        ClassParameters all = ClassParameters.of(Map.of(
                "createMissingVolume", "true",
                "subDir", "x/${pv.name}",
                "mountPermissions", "0750",
                "uid", "1000",
                "gid", "100",
                "server", "nas",
                "share", "/exports",
                "onDelete", "archive",
                "basePath", "/srv"));
        assertThat(all.createsMissingVolume()).isTrue();
        assertThat(all.pathPattern()).hasToString("x/${pv.name}");
        assertThat(all.mode()).isEqualTo(0750);
        assertThat(all.uid()).contains(1000);
        assertThat(all.gid()).contains(100);
        assertThat(all.server()).contains("nas");
        assertThat(all.share()).contains("/exports");
        assertThat(all.onDelete()).contains("archive");
        assertThat(all.basePath()).contains("/srv");
        ClassParameters block = ClassParameters.of(Map.of("fsType", "xfs", "overcommit", "true"));
        assertThat(block.fsType()).isEqualTo("xfs");
        assertThat(block.overcommits()).isTrue();
    }
}
