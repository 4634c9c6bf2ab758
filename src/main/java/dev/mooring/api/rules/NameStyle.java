package dev.mooring.api.rules;

import java.util.List;

/** What the names of a kind may look like. */
public enum NameStyle {
    /** Most kinds: {@code data.example.com}. */
    SUBDOMAIN {
        @Override
        public List<String> problems(String name) {
            return Names.dns1123Subdomain(name);
        }
    },
    /** Namespaces: {@code team-1}. */
    LABEL {
        @Override
        public List<String> problems(String name) {
            return Names.dns1123Label(name);
        }
    },
    /** Services: a label that starts with a letter. */
    LABEL_1035 {
        @Override
        public List<String> problems(String name) {
            return Names.dns1035Label(name);
        }
    },
    /** Storage classes: as {@link #SUBDOMAIN}, and {@code hostPath}, a name of Minik8s that Kubernetes would refuse. */
    STORAGE_CLASS {
        @Override
        public List<String> problems(String name) {
            return BuiltInClass.named(name).isPresent() ? List.of() : Names.dns1123Subdomain(name);
        }
    },
    /** Whatever can stand in a URL. */
    PATH_SEGMENT {
        @Override
        public List<String> problems(String name) {
            return Names.pathSegment(name);
        }

        @Override
        List<String> problemsOfPrefix(String prefix) {
            return Names.pathSegmentPrefix(prefix);
        }
    };

    /** What is wrong with it, in Kubernetes' words; nothing, if it is right. */
    public abstract List<String> problems(String name);

    /** The same for the beginning of a name that will get an ending: it may end with a dash. */
    List<String> problemsOfPrefix(String prefix) {
        boolean dash = prefix.length() > 1 && prefix.endsWith("-");
        return problems(dash ? prefix.substring(0, prefix.length() - 2) + "a" : prefix);
    }
}
