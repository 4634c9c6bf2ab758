package dev.mooring.chaos.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Paths and bodies of requests of tenants; bodies use single quotes instead of double quotes. */
final class TenantManifests {
    private TenantManifests() {}

    static String path(String namespace, String kind, String name) {
        return "/api/v1/namespaces/" + namespace + "/" + kind + (name.isEmpty() ? "" : "/" + name);
    }

    static String object(String version, String kind, String name, String rest) {
        return "{'apiVersion':'" + version + "','kind':'" + kind + "','metadata':{'name':'" + name + "'}" + rest + "}";
    }

    static String body(String kind, String name, String text) {
        return switch (kind) {
            case "configmaps" -> object("v1", "ConfigMap", name, ",'data':{'k':'" + text + "'}");
            case "secrets" -> object("v1", "Secret", name, ",'data':{'k':'" + base64(text) + "'}");
            case "pods" ->
                object(
                        "v1",
                        "Pod",
                        name,
                        ",'spec':{'nodeSelector':{'no':'node'},'containers':[{'name':'c','image':'busybox','args':['"
                                + text + "']}]}");
            default ->
                object(
                                "v1",
                                "PersistentVolumeClaim",
                                name,
                                ",'spec':{'storageClassName':'none','accessModes':"
                                        + "['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}")
                        .replace("'metadata':{", "'metadata':{'annotations':{'k':'" + text + "'},");
        };
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
