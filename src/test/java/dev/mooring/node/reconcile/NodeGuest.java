package dev.mooring.node.reconcile;

import dev.mooring.control.Controller;
import dev.mooring.node.desired.Containers;
import dev.mooring.node.work.WorkParts;
import java.util.List;
import java.util.function.Supplier;

/** What else lives on the node of a {@link VolumeBench}, as long as one process does. */
public interface NodeGuest {
    default Containers containers(Containers usual) {
        return usual;
    }

    default List<Supplier<Controller>> controllers() {
        return List.of();
    }

    /** Makes it anew with each process. */
    interface Maker {
        Maker NONE = work -> new NodeGuest() {};

        NodeGuest begin(WorkParts work);
    }
}
