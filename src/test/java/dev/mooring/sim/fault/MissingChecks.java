package dev.mooring.sim.fault;

import java.util.List;

/**
 * Checks of the API that separate tenants, each removed as one injected fault. {@link InjectedFault#maxRuns} counts
 * hundreds of requests of the fuzzer; {@link InjectedFaults} has the number of simulation runs.
 */
public final class MissingChecks {
    public static final List<InjectedFault> ALL = List.of(
            new InjectedFault(
                    "namespace of a token not checked",
                    "A token for one namespace is accepted in all namespaces",
                    "api.auth.Grant",
                    "covers",
                    40,
                    MethodMutation.returns(true)),
            new InjectedFault(
                    "history of Secrets not restricted",
                    "History of Secrets is as readable as that of other objects",
                    "api.http.HistoryAccess",
                    "isSecret",
                    250,
                    MethodMutation.returns(false)),
            new InjectedFault(
                    "start of a watch not restricted",
                    "A watch may start in the time of a former tenant of the namespace",
                    "api.http.HistoryAccess",
                    "requireWatch",
                    120,
                    MethodMutation.doesNothing()),
            new InjectedFault(
                    "uid of a namespace not compared",
                    "A namespace is treated as identical to a former one of the same name",
                    "api.http.HistoryAccess",
                    "isSame",
                    120,
                    MethodMutation.returns(true)),
            new InjectedFault(
                    "relation to the node not checked",
                    "Every object is related to every node",
                    "api.auth.NodeRelations",
                    "isRelated",
                    120,
                    MethodMutation.returns(true)),
            new InjectedFault(
                    "node of created objects not checked",
                    "A node creates objects in the name of another node",
                    "api.resource.NodeRestriction",
                    "admitCreate",
                    80,
                    MethodMutation.doesNothing()));

    private MissingChecks() {}
}
