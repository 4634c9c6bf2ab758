package dev.mooring.api.types;

import java.util.HexFormat;
import java.util.List;

/** Protobuf bodies captured from kubectl. */
final class CapturedBodies {
    /** {@code create configmap x --from-literal=a=b --from-literal=e= --from-file=bin=bin} of kubectl 1.33. */
    static final String CONFIG_MAP =
            "6b3873000a0f0a0276311209436f6e6669674d6170122d0a110a017812001a0022002a0032003800420012060a01611201"
                    + "6212050a016512001a090a0362696e120200ff1a002200";

    /**
     * {@code create secret docker-registry d --docker-username=u --docker-password=p --docker-server=s} of kubectl
     * 1.33.
     */
    static final String SECRET =
            "6b3873000a0c0a02763112065365637265741287010a110a016412001a0022002a0032003800420012520a112e646f636b6572"
                + "636f6e6669676a736f6e123d7b226175746873223a7b2273223a7b22757365726e616d65223a2275222c2270617373776f7264223a2270222c226175746822"
                + "3a2264547077227d7d7d1a1e6b756265726e657465732e696f2f646f636b6572636f6e6669676a736f6e1a002200";

    /** {@code create token sa1 --duration=10m --audience=a1 --bound-object-kind=Pod …} of kubectl 1.33. */
    static final String TOKEN_REQUEST =
            "6b3873000a280a1861757468656e7469636174696f6e2e6b38732e696f2f7631120c546f6b656e52657175657374"
                + "12360a100a0012001a0022002a00320038004200121c0a0261311a130a03506f64120276311a017022057569642d3120d8041a040a0012001a002200";

    /** {@code debug p1 --copy-to=p2 --same-node …} of kubectl 1.33, of a Pod with fields of every type. */
    static final String POD = """
        6b3873000a090a0276311203506f6412c40a0a210a02703212001a0764656661756c7422002a0032003800420062060a017812017912890a0a090a01
        65120412020a000a170a016d121212100a064d656d6f727912060a0436344d690a0d0a016812080a060a022f7812000a170a0173121232100a017312
        090a016b12017018a40318000a130a0163120e9a010b0a040a02636d18a40320010a120a016e120d3a0b0a0373727612022f7018010a200a0169121b
        42190a027470120369716e180022002a003000400058016202696e0a0f0a0170120a52080a046461746110010a250a0164122082011d0a180a016c12
        130a00120f6d657461646174612e6c6162656c7310a4030a4f0a0270721249d201460a0e220c0a0010971c1a05746f6b656e0a281a260a120a106b75
        62652d726f6f742d63612e63727412100a0663612e637274120663612e6372740a070a050a030a017310a4030a1c0a036373691215e201120a016410
        0022060a01611201622a030a01780a9d010a03657068129501ea0191010a8e010a180a0012001a0022002a003200380042005a060a016c12016d1272
        0a0d5265616457726974654f6e6365121212100a0773746f7261676512050a033147691a00221312110a0161120c446f65734e6f7445786973742a00
        3205426c6f636b3a2d0a17736e617073686f742e73746f726167652e6b38732e696f120e566f6c756d65536e617073686f741a02736e0a150a03696d
        67120ef2010b0a01721206416c776179730a120a026663120c8a01090a017710001a0020000a1e0a02617a1218b201150a01641201751a044e6f6e65
        32074d616e6167656412dc020a01631203696d672201782a0032110a04687474701000185022035443502a003a050a014512003a060a01461201763a
        130a014712001a0c220a0a030a017312016b18003a1c0a014812001a150a130a027631120d6d657461646174612e6e616d653a1d0a015212001a1612
        140a00120a6c696d6974732e6370751a040a02316d422c0a0d0a0363707512060a043530306d0a0f0a066d656d6f727912050a03314769120a0a0363
        707512030a01304a170a017610011a022f6d22002a044e6f6e6532042428452952250a1912170a012f120a080110001a04687474701a002204485454
        50100018002003280030005a1b0a0d1a0b0a07080010903f1a00120010001800200028003000380162061204220208046a007206416c776179737a0c
        0a080a01411203414c4c10008001018801009001019a010a0a0012060a040a02636da20100b201140a080a060a047472756510001800200028003000
        12310a0e64656275676765722d6668763571120762757379626f782a0042006a007200800100880100900100a2010446696c651a06416c7761797320
        00320c436c757374657246697273743a060a016b120176420273614a0052026e31580060006800722010e807200120feffffffffffffffff012080bc
        c1960b28003a060a01611201627a050a036970738201008a010092012a0a130a110a0f0a0d0a016b1202496e1a01761a01771a1312110805120d0a08
        0a060a01611201621a017a9a011164656661756c742d7363686564756c6572a2012f0a01691203696d671a0273681a022d631a002a0042006a007200
        800100880100900100a20100c20106416c77617973a80100b2011b0a016b12064578697374731a0022094e6f4578656375746528ac02ba010c0a0731
        2e312e312e31120168c20100c801fbffffffffffffffff01d2010c1a0a0a056e646f7473120132e201030a016782020c0a0363707512050a0331306d
        8a0216080112017a1a0d446f4e6f745363686564756c6528021a130a001a0022002a0032004a005a0072008801001a002200
        """;

    /** The content of {@link #POD}. */
    static final String POD_AS_JSON = """
        {kind: 'Pod', apiVersion: 'v1', metadata: {name: 'p2', namespace: 'default', annotations: {x: 'y'}}, spec: {volumes: [{name:
        'e', emptyDir: {}}, {name: 'm', emptyDir: {medium: 'Memory', sizeLimit: '64Mi'}}, {name: 'h', hostPath: {path: '/x', type:
        ''}}, {name: 's', secret: {secretName: 's', items: [{key: 'k', path: 'p', mode: 420}], defaultMode: 0}}, {name: 'c',
        configMap: {name: 'cm', defaultMode: 420, optional: true}}, {name: 'n', nfs: {server: 'srv', path: '/p', readOnly: true}},
        {name: 'i', iscsi: {targetPortal: 'tp', iqn: 'iqn', chapAuthSession: true, initiatorName: 'in'}}, {name: 'p',
        persistentVolumeClaim: {claimName: 'data', readOnly: true}}, {name: 'd', downwardAPI: {items: [{path: 'l', fieldRef:
        {fieldPath: 'metadata.labels'}}], defaultMode: 420}}, {name: 'pr', projected: {sources: [{serviceAccountToken:
        {expirationSeconds: 3607, path: 'token'}}, {configMap: {name: 'kube-root-ca.crt', items: [{key: 'ca.crt', path:
        'ca.crt'}]}}, {secret: {name: 's'}}], defaultMode: 420}}, {name: 'csi', csi: {driver: 'd', readOnly: false,
        volumeAttributes: {a: 'b'}, nodePublishSecretRef: {name: 'x'}}}, {name: 'eph', ephemeral: {volumeClaimTemplate: {metadata:
        {labels: {l: 'm'}}, spec: {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}, selector:
        {matchExpressions: [{key: 'a', operator: 'DoesNotExist'}]}, storageClassName: '', volumeMode: 'Block', dataSource:
        {apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'sn'}}}}}, {name: 'img', image: {reference: 'r',
        pullPolicy: 'Always'}}, {name: 'fc', fc: {targetWWNs: ['w'], lun: 0}}, {name: 'az', azureDisk: {diskName: 'd', diskURI: 'u',
        cachingMode: 'None', kind: 'Managed'}}], containers: [{name: 'c', image: 'img', args: ['x'], ports: [{name: 'http',
        containerPort: 80, protocol: 'TCP'}], env: [{name: 'E'}, {name: 'F', value: 'v'}, {name: 'G', valueFrom: {secretKeyRef:
        {name: 's', key: 'k', optional: false}}}, {name: 'H', valueFrom: {fieldRef: {apiVersion: 'v1', fieldPath:
        'metadata.name'}}}, {name: 'R', valueFrom: {resourceFieldRef: {resource: 'limits.cpu', divisor: '1m'}}}], resources:
        {limits: {cpu: '500m', memory: '1Gi'}, requests: {cpu: '0'}}, volumeMounts: [{name: 'v', readOnly: true, mountPath: '/m',
        mountPropagation: 'None', subPathExpr: '$(E)'}], livenessProbe: {httpGet: {path: '/', port: 'http', scheme: 'HTTP'},
        periodSeconds: 3}, readinessProbe: {tcpSocket: {port: 8080}, terminationGracePeriodSeconds: 1}, lifecycle: {preStop: {sleep:
        {seconds: 4}}}, imagePullPolicy: 'Always', securityContext: {capabilities: {add: ['A'], drop: ['ALL']}, privileged: false},
        stdin: true, tty: true, envFrom: [{configMapRef: {name: 'cm'}}], startupProbe: {exec: {command: ['true']}}}, {name:
        'debugger-fhv5q', image: 'busybox', terminationMessagePolicy: 'File'}], restartPolicy: 'Always',
        terminationGracePeriodSeconds: 0, dnsPolicy: 'ClusterFirst', nodeSelector: {k: 'v'}, serviceAccountName: 'sa', nodeName:
        'n1', securityContext: {runAsUser: 1000, supplementalGroups: [1, -2, 3000000000], fsGroup: 0, sysctls: [{name: 'a', value:
        'b'}]}, imagePullSecrets: [{name: 'ips'}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
        {nodeSelectorTerms: [{matchExpressions: [{key: 'k', operator: 'In', values: ['v', 'w']}]}]}}, podAntiAffinity:
        {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5, podAffinityTerm: {labelSelector: {matchLabels: {a: 'b'}},
        topologyKey: 'z'}}]}}, schedulerName: 'default-scheduler', initContainers: [{name: 'i', image: 'img', command: ['sh', '-c',
        ''], restartPolicy: 'Always'}], automountServiceAccountToken: false, tolerations: [{key: 'k', operator: 'Exists', effect:
        'NoExecute', tolerationSeconds: 300}], hostAliases: [{ip: '1.1.1.1', hostnames: ['h']}], priority: -5, dnsConfig: {options:
        [{name: 'ndots', value: '2'}]}, readinessGates: [{conditionType: 'g'}], overhead: {cpu: '10m'}, topologySpreadConstraints:
        [{maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', minDomains: 2}]}}
        """;

    private CapturedBodies() {}

    static List<byte[]> all() {
        return List.of(bytes(CONFIG_MAP), bytes(SECRET), bytes(TOKEN_REQUEST), bytes(POD));
    }

    static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace("\n", ""));
    }
}
