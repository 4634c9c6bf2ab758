package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.host.FaultySystemCalls;
import dev.mooring.model.view.BlockSource;
import dev.mooring.model.view.HostPathSource;
import dev.mooring.model.view.LocalSource;
import dev.mooring.model.view.NfsSource;
import dev.mooring.model.view.VolumeOperation.OperationType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that only the claim of data retained with {@code onDelete: retain} gets it again. */
class KeptDataTest {
    private static final String PATH = "shared/dir";
    private static final ClaimIdentity OWNER = VolumeWorkFixture.CLAIM;

    @TempDir
    Path temp;

    private VolumeWorkFixture fixture;

    @BeforeEach
    void createFixture() throws IOException {
        fixture = new VolumeWorkFixture(temp);
    }

    private static VolumeWork provision(String provisioner, String onDelete, Optional<ClaimIdentity> claim) {
        return VolumeWorkFixture.of(
                claim, VolumeWorkFixture.provision(provisioner, PATH, Map.of("onDelete", onDelete)));
    }

    /** Provisions a volume of the claim, writes data and deletes the volume; the data is retained. */
    private Path retainData(String provisioner, Optional<ClaimIdentity> made, Optional<ClaimIdentity> deleted)
            throws Exception {
        VolumeWork work = provision(provisioner, "retain", made);
        VolumeWorkResult done = fixture.workers.perform(work);
        Path data = base(provisioner).resolve(PATH);
        if (provisioner.equals(BlockSource.PROVISIONER)) {
            data = base(provisioner).resolve(PATH + ".img");
        } else {
            data = Files.writeString(data.resolve("data"), "precious");
        }
        fixture.workers.perform(
                VolumeWorkFixture.of(deleted, VolumeWorkFixture.then(OperationType.DELETE, work, done.source())));
        assertThat(data).exists();
        return data;
    }

    private Path base(String provisioner) {
        return provisioner.equals(NfsSource.PROVISIONER)
                ? fixture.settings.nfs().exportRoot()
                : fixture.base(provisioner.substring(provisioner.indexOf('/') + 1));
    }

    private static VolumeWork next(String provisioner, Optional<ClaimIdentity> claim) {
        return VolumeWorkFixture.as("pv-b", VolumeWorkFixture.OTHER_UID, provision(provisioner, "retain", claim));
    }

    private VolumeWorkException failure(VolumeWork work) {
        VolumeWorkException failure =
                catchThrowableOfType(VolumeWorkException.class, () -> fixture.workers.perform(work));
        assertThat(failure).as("failure").isNotNull();
        assertThat(failure.reason()).isEqualTo(VolumeWorkException.KEPT);
        return failure;
    }

    @ParameterizedTest
    @CsvSource({HostPathSource.PROVISIONER, LocalSource.PROVISIONER, NfsSource.PROVISIONER, BlockSource.PROVISIONER})
    void retainedData_otherClaim_failsAndOwnClaimAdoptsIt(String provisioner) throws Exception {
        Path data = retainData(provisioner, Optional.of(OWNER), Optional.of(OWNER));
        List<Optional<ClaimIdentity>> others = List.of(
                Optional.of(new ClaimIdentity("team-b", "uid-of-team-b", "data")),
                Optional.of(new ClaimIdentity("team-a", "uid-of-team-a", "other")),
                Optional.of(new ClaimIdentity("team-a", "uid-of-its-successor", "data")),
                Optional.of(new ClaimIdentity("team-a", "", "data")),
                Optional.empty());
        for (Optional<ClaimIdentity> other : others) {
            VolumeWorkException failure = failure(next(provisioner, other));
            assertThat(failure.getMessage())
                    .contains(PATH)
                    .contains("contains retained data of another claim")
                    .doesNotContain("team-a");
            assertThat(failure.raw()).contains("team-a/data").contains("uid-of-team-a");
            assertThat(data).exists();
        }

        VolumeWorkResult done = fixture.workers.perform(next(provisioner, Optional.of(OWNER)));

        assertThat(done.note().orElseThrow())
                .startsWith("adopted the retained data at ")
                .contains(PATH)
                .endsWith(" of the former claim team-a/data");
        assertThat(data).exists();
        assertThat(base(provisioner).resolve(".mooring/kept.notes")).isEmptyDirectory();
    }

    @Test
    void retainedData_classDeletes_failsForOwnClaim() throws Exception {
        String provisioner = HostPathSource.PROVISIONER;
        retainData(provisioner, Optional.of(OWNER), Optional.of(OWNER));
        VolumeWork work = VolumeWorkFixture.as(
                "pv-b", VolumeWorkFixture.OTHER_UID, provision(provisioner, "delete", Optional.of(OWNER)));

        assertThat(failure(work)).hasMessageContaining("retained data of this claim");
    }

    @Test
    void retainedData_markerWithoutClaim_usesClaimOfDeletion() throws Exception {
        retainData(HostPathSource.PROVISIONER, Optional.empty(), Optional.of(OWNER));
        failure(next(HostPathSource.PROVISIONER, Optional.empty()));
        fixture.workers.perform(next(HostPathSource.PROVISIONER, Optional.of(OWNER)));

        retainData(LocalSource.PROVISIONER, Optional.empty(), Optional.empty());
        assertThat(failure(next(LocalSource.PROVISIONER, Optional.of(OWNER))).raw())
                .contains("an unknown claim");
    }

    @Test
    void retainedData_severalClaims_belongsToLastOne() throws Exception {
        ClaimIdentity last = new ClaimIdentity("team-b", "uid-of-team-b", "data");
        retainData(HostPathSource.PROVISIONER, Optional.of(OWNER), Optional.of(last));

        failure(next(HostPathSource.PROVISIONER, Optional.of(OWNER)));
        fixture.workers.perform(next(HostPathSource.PROVISIONER, Optional.of(last)));
    }

    @Test
    void retainedData_deletionWithoutNamespaceUid_belongsToProvisioningClaim() throws Exception {
        Optional<ClaimIdentity> unknown = Optional.of(new ClaimIdentity("team-a", "", "data"));
        retainData(HostPathSource.PROVISIONER, Optional.of(OWNER), unknown);

        failure(next(HostPathSource.PROVISIONER, unknown));
        fixture.workers.perform(next(HostPathSource.PROVISIONER, Optional.of(OWNER)));
    }

    @ParameterizedTest
    @CsvSource({HostPathSource.PROVISIONER, BlockSource.PROVISIONER})
    void adoption_crashAtAnySystemCall_recovers(String provisioner) throws Exception {
        int calls = 0;
        boolean crashed = true;
        while (crashed) {
            fixture = new VolumeWorkFixture(Files.createDirectory(temp.resolve("crash-" + calls)));
            Path data = retainData(provisioner, Optional.of(OWNER), Optional.of(OWNER));
            Path base = base(provisioner);
            VolumeWork other = VolumeWorkFixture.as(
                    "pv-c",
                    "5555eeee-1947-4000-8000-00000000000c",
                    provision(
                            provisioner, "retain", Optional.of(new ClaimIdentity("team-b", "uid-of-team-b", "data"))));
            try {
                fixture.workers(FaultySystemCalls.after(calls)).perform(next(provisioner, Optional.of(OWNER)));
                crashed = false;
            } catch (FaultySystemCalls.Crash expected) {
                VolumeWorkException failure =
                        catchThrowableOfType(VolumeWorkException.class, () -> fixture.workers.perform(other));
                assertThat(failure).as("another claim after call %s", calls).isNotNull();
                boolean unfinished = Files.exists(base.resolve(".mooring/kept.notes/" + VolumeWorkFixture.UID));
                VolumeWorkResult done = fixture.workers.perform(next(provisioner, Optional.of(OWNER)));
                assertThat(done.note().isPresent())
                        .as("note after call %s", calls)
                        .isEqualTo(unfinished);
                calls++;
            }
            assertThat(data).exists();
            assertThat(base.resolve(".mooring/" + VolumeWorkFixture.OTHER_UID)).exists();
            assertThat(base.resolve(".mooring/kept.notes")).isEmptyDirectory();
        }
        assertThat(calls).as("crash positions").isGreaterThan(20);
    }
}
