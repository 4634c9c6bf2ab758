package dev.mooring.api.types;

/** Metadata, the smaller kinds and access reviews, in the format of {@link MessageDescriptors#parse}. */
final class CommonMessages {
    static final String TABLE = """
        ObjectMeta: 1 name string, 2 generateName string, 3 namespace string, 4 selfLink string, 5 uid string,
            6 resourceVersion string, 7 generation int64, 8 creationTimestamp time, 9 deletionTimestamp time?,
            10 deletionGracePeriodSeconds int64?, 11 labels {string}, 12 annotations {string},
            13 ownerReferences [OwnerReference], 14 finalizers [string], 17 managedFields [ManagedFieldsEntry]
        OwnerReference: 1 kind string, 3 name string, 4 uid string, 5 apiVersion string, 6 controller bool?,
            7 blockOwnerDeletion bool?
        ManagedFieldsEntry: 1 manager string, 2 operation string, 3 apiVersion string, 4 time time?,
            6 fieldsType string, 7 fieldsV1 json?, 8 subresource string
        DeleteOptions: 1 gracePeriodSeconds int64?, 2 preconditions Preconditions?, 3 orphanDependents bool?,
            4 propagationPolicy string?, 5 dryRun [string], 6 ignoreStoreReadErrorWithClusterBreakingPotential bool?
        Preconditions: 1 uid string?, 2 resourceVersion string?
        LabelSelector: 1 matchLabels {string}, 2 matchExpressions [LabelSelectorRequirement]
        LabelSelectorRequirement: 1 key string, 2 operator string, 3 values [string]
        Condition: 1 type string, 2 status string, 3 observedGeneration int64, 4 lastTransitionTime time,
            5 reason string, 6 message string
        ObjectReference: 1 kind string, 2 namespace string, 3 name string, 4 uid string, 5 apiVersion string,
            6 resourceVersion string, 7 fieldPath string
        LocalObjectReference: 1 name string
        ConfigMap: 1 metadata ObjectMeta, 2 data {string}, 3 binaryData {bytes}, 4 immutable bool?
        Secret: 1 metadata ObjectMeta, 2 data {bytes}, 3 type string, 4 stringData {string}, 5 immutable bool?
        Namespace: 1 metadata ObjectMeta, 2 spec NamespaceSpec, 3 status NamespaceStatus
        NamespaceSpec: 1 finalizers [string]
        NamespaceStatus: 1 phase string, 2 conditions [NamespaceCondition]
        NamespaceCondition: 1 type string, 2 status string, 4 lastTransitionTime time, 5 reason string, 6 message string
        ServiceAccount: 1 metadata ObjectMeta, 2 secrets [ObjectReference], 3 imagePullSecrets [LocalObjectReference],
            4 automountServiceAccountToken bool?
        Service: 1 metadata ObjectMeta, 2 spec ServiceSpec, 3 status ServiceStatus
        ServiceSpec: 1 ports [ServicePort], 2 selector {string}, 3 clusterIP string, 4 type string, 5 externalIPs [string],
            7 sessionAffinity string, 8 loadBalancerIP string, 9 loadBalancerSourceRanges [string],
            10 externalName string, 11 externalTrafficPolicy string, 12 healthCheckNodePort int32,
            13 publishNotReadyAddresses bool, 14 sessionAffinityConfig SessionAffinityConfig?, 17 ipFamilyPolicy string?,
            18 clusterIPs [string], 19 ipFamilies [string], 20 allocateLoadBalancerNodePorts bool?,
            21 loadBalancerClass string?, 22 internalTrafficPolicy string?, 23 trafficDistribution string?
        ServicePort: 1 name string, 2 protocol string, 3 port int32, 4 targetPort intOrString, 5 nodePort int32,
            6 appProtocol string?
        SessionAffinityConfig: 1 clientIP ClientIPConfig?
        ClientIPConfig: 1 timeoutSeconds int32?
        ServiceStatus: 1 loadBalancer LoadBalancerStatus, 2 conditions [Condition]
        LoadBalancerStatus: 1 ingress [LoadBalancerIngress]
        LoadBalancerIngress: 1 ip string, 2 hostname string, 3 ipMode string?, 4 ports [PortStatus]
        PortStatus: 1 port int32, 2 protocol string, 3 error string?
        EndpointSlice: 1 metadata ObjectMeta, 2 endpoints [Endpoint], 3 ports [EndpointPort], 4 addressType string
        Endpoint: 1 addresses [string], 2 conditions EndpointConditions, 3 hostname string?,
            4 targetRef ObjectReference?, 5 deprecatedTopology {string}, 6 nodeName string?, 7 zone string?,
            8 hints EndpointHints?
        EndpointConditions: 1 ready bool?, 2 serving bool?, 3 terminating bool?
        EndpointHints: 1 forZones [ForZone], 2 forNodes [ForNode]
        ForZone: 1 name string
        ForNode: 1 name string
        EndpointPort: 1 name string?, 2 protocol string?, 3 port int32?, 4 appProtocol string?
        Event: 1 metadata ObjectMeta, 2 involvedObject ObjectReference, 3 reason string, 4 message string,
            5 source EventSource, 6 firstTimestamp time, 7 lastTimestamp time, 8 count int32, 9 type string,
            10 eventTime microTime, 11 series EventSeries?, 12 action string, 13 related ObjectReference?,
            14 reportingComponent string, 15 reportingInstance string
        EventSource: 1 component string, 2 host string
        EventSeries: 1 count int32, 2 lastObservedTime microTime
        ResourceQuota: 1 metadata ObjectMeta, 2 spec ResourceQuotaSpec, 3 status ResourceQuotaStatus
        ResourceQuotaSpec: 1 hard {quantity}, 2 scopes [string], 3 scopeSelector ScopeSelector?
        ScopeSelector: 1 matchExpressions [ScopedResourceSelectorRequirement]
        ScopedResourceSelectorRequirement: 1 scopeName string, 2 operator string, 3 values [string]
        ResourceQuotaStatus: 1 hard {quantity}, 2 used {quantity}
        RuntimeClass: 1 metadata ObjectMeta, 2 handler string, 3 overhead Overhead?, 4 scheduling RuntimeClassScheduling?
        Overhead: 1 podFixed {quantity}
        RuntimeClassScheduling: 1 nodeSelector {string}, 2 tolerations [Toleration]
        PriorityClass: 1 metadata ObjectMeta, 2 value int32, 3 globalDefault bool, 4 description string,
            5 preemptionPolicy string?
        Lease: 1 metadata ObjectMeta, 2 spec LeaseSpec
        LeaseSpec: 1 holderIdentity string?, 2 leaseDurationSeconds int32?, 3 acquireTime microTime?,
            4 renewTime microTime?, 5 leaseTransitions int32?, 6 strategy string?, 7 preferredHolder string?
        Eviction: 1 metadata ObjectMeta, 2 deleteOptions DeleteOptions?
        SelfSubjectAccessReview: 1 metadata ObjectMeta, 2 spec SelfSubjectAccessReviewSpec,
            3 status SubjectAccessReviewStatus
        SelfSubjectAccessReviewSpec: 1 resourceAttributes ResourceAttributes?,
            2 nonResourceAttributes NonResourceAttributes?
        ResourceAttributes: 1 namespace string, 2 verb string, 3 group string, 4 version string, 5 resource string,
            6 subresource string, 7 name string, 8 fieldSelector FieldSelectorAttributes?,
            9 labelSelector LabelSelectorAttributes?
        FieldSelectorAttributes: 1 rawSelector string, 2 requirements [FieldSelectorRequirement]
        FieldSelectorRequirement: 1 key string, 2 operator string, 3 values [string]
        LabelSelectorAttributes: 1 rawSelector string, 2 requirements [LabelSelectorRequirement]
        NonResourceAttributes: 1 path string, 2 verb string
        SubjectAccessReviewStatus: 1 allowed bool, 2 reason string, 3 evaluationError string, 4 denied bool
        SelfSubjectRulesReview: 1 metadata ObjectMeta, 2 spec SelfSubjectRulesReviewSpec,
            3 status SubjectRulesReviewStatus
        SelfSubjectRulesReviewSpec: 1 namespace string
        SubjectRulesReviewStatus: 1 resourceRules [ResourceRule], 2 nonResourceRules [NonResourceRule],
            3 incomplete bool, 4 evaluationError string
        ResourceRule: 1 verbs [string], 2 apiGroups [string], 3 resources [string], 4 resourceNames [string]
        NonResourceRule: 1 verbs [string], 2 nonResourceURLs [string]
        SubjectAccessReview: 1 metadata ObjectMeta, 2 spec SubjectAccessReviewSpec, 3 status SubjectAccessReviewStatus
        SubjectAccessReviewSpec: 1 resourceAttributes ResourceAttributes?,
            2 nonResourceAttributes NonResourceAttributes?, 3 user string, 4 groups [string], 5 extra {strings},
            6 uid string
        LocalSubjectAccessReview: 1 metadata ObjectMeta, 2 spec SubjectAccessReviewSpec,
            3 status SubjectAccessReviewStatus
        SelfSubjectReview: 1 metadata ObjectMeta, 2 status SelfSubjectReviewStatus
        SelfSubjectReviewStatus: 1 userInfo UserInfo
        UserInfo: 1 username string, 2 uid string, 3 groups [string], 4 extra {strings}
        TokenRequest: 1 metadata ObjectMeta, 2 spec TokenRequestSpec, 3 status TokenRequestStatus
        TokenRequestSpec: 1 audiences [string], 3 boundObjectRef BoundObjectReference?, 4 expirationSeconds int64?
        BoundObjectReference: 1 kind string, 2 apiVersion string, 3 name string, 4 uid string
        TokenRequestStatus: 1 token string, 2 expirationTimestamp time
        TokenReview: 1 metadata ObjectMeta, 2 spec TokenReviewSpec, 3 status TokenReviewStatus
        TokenReviewSpec: 1 token string, 2 audiences [string]
        TokenReviewStatus: 1 authenticated bool, 2 user UserInfo, 3 error string, 4 audiences [string]
        """;

    private CommonMessages() {}
}
