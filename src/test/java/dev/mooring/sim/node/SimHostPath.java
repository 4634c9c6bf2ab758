package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.Lane;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.host.HostFiles;
import java.nio.file.Path;

/** Directories of the machine as they are: nothing is mounted. */
final class SimHostPath extends SimPlugin {
    SimHostPath(SimMachine machine) {
        super(machine);
    }

    @Override
    public String name() {
        return "kubernetes.io/host-path";
    }

    @Override
    public boolean supports(JsonNode source) {
        return source.path("hostPath").isObject();
    }

    @Override
    public Lane lane(VolumeSpec volume) {
        return HostFiles.lane(volume.source().path("hostPath").path("path").asText());
    }

    @Override
    SetUpDone appear(SetUp what) throws VolumeException {
        JsonNode source = what.volume().source().path("hostPath");
        String path = source.path("path").asText("");
        Place place = Place.directory(machine().name(), path);
        boolean isMade = source.path("type").asText("").isEmpty()
                || source.path("type").asText("").equals("DirectoryOrCreate");
        if (machine().storage().find(place).isEmpty() && !isMade) {
            throw VolumeException.clean("WrongType", "hostPath type check failed: " + path + " is not a directory");
        }
        machine().storage().at(place);
        machine().handOut(what.target().toString(), path);
        taken(what.volume(), what.pod().uid());
        return SetUpDone.at(Path.of(path));
    }

    @Override
    void disappear(TearDown what) {
        String target = what.target().toString();
        machine().mayBeTaken(what.podUid(), machine().handedOut(target), "let go of");
        machine().takeBack(target);
        machine().storage().left(machine().volumeUid(what.name()), machine().name(), what.podUid());
    }
}
