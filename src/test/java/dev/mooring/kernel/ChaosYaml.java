package dev.mooring.kernel;

import java.nio.file.Path;

/** Manifests of {@link RealChaosTest}. */
final class ChaosYaml {
    private ChaosYaml() {}

    /** Returns a claim with dynamic provisioning. */
    static String claim(String name, String storageClass) {
        return """
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: NAME}
            spec:
              storageClassName: CLASS
              accessModes: [ReadWriteOnce]
              resources: {requests: {storage: 32Mi}}
            """.replace("NAME", name).replace("CLASS", storageClass);
    }

    /** Returns a class whose volumes are directories of the given share. */
    static String nfsClass(String name, String server, String share) {
        return """
            apiVersion: storage.k8s.io/v1
            kind: StorageClass
            metadata: {name: NAME}
            provisioner: mooring.dev/nfs
            parameters: {server: SERVER, share: SHARE}
            """.replace("NAME", name).replace("SERVER", server).replace("SHARE", share);
    }

    static String onClaim(String claim) {
        return "persistentVolumeClaim: {claimName: " + claim + '}';
    }

    static String onHost(Path directory) {
        return "hostPath: {path: " + directory + ", type: DirectoryOrCreate}";
    }

    /**
     * Returns a Pod that writes tokens: each to its own file, synced, then to a list on a disk without faults. It
     * counts attempts in an emptyDir, which also records the container that started last: no other may continue then.
     *
     * @param list file with the written tokens
     */
    static String writer(String name, String volume, Path list) {
        return """
            apiVersion: v1
            kind: Pod
            metadata: {name: NAME}
            spec:
              restartPolicy: Always
              terminationGracePeriodSeconds: 2
              containers:
                - name: c
                  image: busybox:latest
                  imagePullPolicy: Never
                  command:
                    - sh
                    - -c
                    - |
                      trap 'exit 0' TERM
                      read id </proc/sys/kernel/random/uuid
                      echo $id >/own/owner
                      echo NAME >>/lists/starts
                      touch /own/tries /lists/done-NAME
                      if [ $(wc -l </own/tries) -lt $(wc -l </lists/done-NAME) ]; then
                        echo "the emptyDir of NAME has lost something" >>/lists/violations
                      fi
                      while :; do
                        read owner </own/owner
                        if [ "$owner" != "$id" ]; then
                          echo "a second container of NAME has begun" >>/lists/violations
                        fi
                        echo >>/own/tries
                        token=t-NAME-$(wc -l </own/tries)
                        if echo $token | dd of=/v/$token conv=fsync 2>/dev/null; then
                          echo $token >>/lists/done-NAME
                          echo $token >>/lists/LIST
                        fi
                        sleep 1
                      done
                  volumeMounts:
                    - {name: v, mountPath: /v}
                    - {name: own, mountPath: /own}
                    - {name: lists, mountPath: /lists}
              volumes:
                - {name: v, VOLUME}
                - {name: own, emptyDir: {}}
                - {name: lists, hostPath: {path: LISTS, type: Directory}}
            """.replace("VOLUME", volume)
                .replace("LISTS", list.getParent().toString())
                .replace("LIST", list.getFileName().toString())
                .replace("NAME", name);
    }

    /** Returns a Pod that prints all tokens and ends. */
    static String reader(String name, String volume) {
        return """
            apiVersion: v1
            kind: Pod
            metadata: {name: NAME}
            spec:
              restartPolicy: Never
              containers:
                - name: c
                  image: busybox:latest
                  imagePullPolicy: Never
                  command: [sh, -c, "cd /v && for each in t-*; do cat $each; done"]
                  volumeMounts: [{name: v, mountPath: /v}]
              volumes: [{name: v, VOLUME}]
            """.replace("NAME", name).replace("VOLUME", volume);
    }
}
