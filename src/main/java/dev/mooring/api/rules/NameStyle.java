package dev.mooring.api.rules;

import java.util.List;

/** The syntax of a kind's names. */
public enum NameStyle {
    /** Most kinds: {@code data.example.com}. */
    SUBDOMAIN {
        @Override
        public List<String> problems(String name) {
            return NameSyntax.dns1123Subdomain(name);
        }
    },
    /** Namespaces: {@code team-1}. */
    LABEL {
        @Override
        public List<String> problems(String name) {
            return NameSyntax.dns1123Label(name);
        }
    },
    /** Services: a label that starts with a letter. */
    LABEL_1035 {
        @Override
        public List<String> problems(String name) {
            return NameSyntax.dns1035Label(name);
        }
    },
    /** Storage classes: as {@link #SUBDOMAIN}, and {@code hostPath}, a Minik8s name that Kubernetes would reject. */
    STORAGE_CLASS {
        @Override
        public List<String> problems(String name) {
            return BuiltInStorageClass.byName(name).isPresent() ? List.of() : NameSyntax.dns1123Subdomain(name);
        }
    },
    /** Any valid URL path segment. */
    PATH_SEGMENT {
        @Override
        public List<String> problems(String name) {
            return NameSyntax.pathSegment(name);
        }

        @Override
        List<String> problemsOfPrefix(String prefix) {
            return NameSyntax.pathSegmentPrefix(prefix);
        }
    };

    /** Returns the problems of a name, with Kubernetes' messages; empty if it is valid. */
    public abstract List<String> problems(String name);

    /** Returns the problems of a name prefix, which may end with a dash. */
    List<String> problemsOfPrefix(String prefix) {
        boolean dash = prefix.length() > 1 && prefix.endsWith("-");
        return problems(dash ? prefix.substring(0, prefix.length() - 2) + "a" : prefix);
    }
}
