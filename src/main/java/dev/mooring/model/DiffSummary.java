package dev.mooring.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectDiff.FieldChange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes the differences of an object in a few words, the most telling fields first. Pure. */
final class DiffSummary {
    static final int MAX_LENGTH = 160;

    /** Length of a value in the summary; names of provisioned volumes fit. */
    private static final int MAX_VALUE = 48;

    private static final int MAX_LIST = 3;

    /** Longer paths are not ranked: clients choose the names in free-form fields, and matching them costs time. */
    private static final int MAX_PATH = 512;

    /** Rank of the last fields that come before the readiness of containers. */
    private static final int STATE_RANK = 2;

    /** Fields that say what happened to the object, most telling first. The others follow them. */
    private static final List<Pattern> TELLING = patterns(
            "metadata\\.deletionTimestamp",
            "status\\.(phase|state|attached)",
            "status\\.mounts\\[.*]\\.state",
            "status\\.conditions\\[[^]]*]\\.status",
            "status\\.(lastError|error|attachError|detachError)\\.reason|status\\.reason",
            "status\\.mounts\\[.*]\\.(lastError|health)\\.reason",
            "status\\.(init|ephemeral)?[cC]ontainerStatuses\\[[^]]*]\\.(restartCount|state\\.(waiting|terminated)\\.reason)",
            "spec\\.(volumeName|nodeName|node|unschedulable)|spec\\.claimRef\\.(namespace|name)",
            "(spec|status)\\.(capacity|resources\\.requests)(\\.storage)?",
            "spec\\.(storageClassName|accessModes\\[]|containers\\[[^]]*]\\.image)|provisioner",
            "spec\\.(?!claimRef|.*\\.uid$).*",
            "metadata\\.finalizers\\[]");

    /** Fields that are shown only if nothing else changed. */
    private static final Pattern NOISE = patterns(
                    "(.*\\.)?(observedG|g)eneration|(.*\\.)?(\\w*[tT]ime|since|tried|nextTry|\\w*UID|uid|resourceVersion|message)"
                        + "|(apiV|v)ersion|kind|metadata\\.(name|namespace|creationTimestamp)|.*\\[[^]]*]\\.reason"
                        + "|status\\.\\w*[cC]ontainerStatuses\\[.*|metadata\\.deletionGracePeriodSeconds"
                        + "|metadata\\.annotations\\[(.*\\.)?(kubernetes\\.io|k8s\\.io|mooring\\.dev)/.*")
            .get(0);

    /** A field of a mount of an ActualVolume; ObjectDiff names mounts by their paths. */
    private static final Pattern MOUNT =
            patterns("status\\.mounts\\[(/.*)]((\\.[a-zA-Z]+)*)").get(0);

    private static final Pattern CONDITION =
            patterns("status\\.conditions\\[([^]]*)]\\.status").get(0);

    /** A field with its rank, which is expensive to determine. */
    private record RankedField(FieldChange field, int rank) {}

    private DiffSummary() {}

    private static List<Pattern> patterns(String... expressions) {
        return Arrays.stream(expressions).map(Pattern::compile).toList();
    }

    /** Returns whether one of the fields says what happened to the object. */
    static boolean isTelling(List<FieldChange> fields) {
        return fields.stream().anyMatch(field -> rank(field.path()) < TELLING.size());
    }

    static String of(JsonNode before, JsonNode after, List<FieldChange> fields) {
        boolean isNew = before.isEmpty();
        if (isNew && after.has("involvedObject")) {
            return kubeEvent(after);
        }
        boolean isSecret = after.path("kind").asText().equals("Secret");
        Optional<String> readiness = readiness(before, after);
        List<RankedField> ranked = fields.stream()
                .map(field -> new RankedField(field, rank(field.path())))
                .sorted(Comparator.comparingInt(RankedField::rank))
                .toList();
        List<RankedField> shown =
                ranked.stream().filter(each -> each.rank <= TELLING.size()).toList();
        if (shown.isEmpty() && readiness.isEmpty() && !isNew) {
            shown = ranked;
        }
        Set<String> parts = new LinkedHashSet<>();
        for (RankedField each : shown) {
            if (each.rank > STATE_RANK) {
                readiness.ifPresent(parts::add);
            }
            String label = mountLabel(each.field.path(), after, before).orElseGet(() -> label(each.field.path()));
            parts.add(isNew ? initial(label, each.field, isSecret) : part(label, each.field, isSecret));
        }
        readiness.ifPresent(parts::add);
        return joined(parts, isNew);
    }

    /** Returns what a Kubernetes Event says: {@code Warning FailedMount Pod/web: mount failed}. */
    private static String kubeEvent(JsonNode event) {
        JsonNode about = event.path("involvedObject");
        return clean(
                event.path("type").asText() + ' ' + event.path("reason").asText() + ' '
                        + about.path("kind").asText() + '/' + about.path("name").asText() + ": "
                        + event.path("message").asText(),
                MAX_LENGTH);
    }

    /** Returns the position among the telling fields, behind them for others, and last for noise. */
    private static int rank(String path) {
        if (path.length() > MAX_PATH) {
            return TELLING.size();
        }
        for (int i = 0; i < TELLING.size(); i++) {
            if (TELLING.get(i).matcher(path).matches()) {
                return i;
            }
        }
        return NOISE.matcher(path).matches() ? TELLING.size() + 1 : TELLING.size();
    }

    private static String joined(Set<String> parts, boolean isNew) {
        StringBuilder text = new StringBuilder();
        int left = parts.size();
        for (String part : parts) {
            String more = (text.length() == 0 ? "" : ", ") + left + " more";
            if (text.length() + part.length() + more.length() + 2 > MAX_LENGTH) {
                return isNew ? text.toString() : text.append(more).toString();
            }
            text.append(text.length() == 0 ? "" : ", ").append(part);
            left--;
        }
        return text.toString();
    }

    private static String part(String label, FieldChange field, boolean isSecret) {
        if (isSecret && isData(field.path())) {
            return label + (field.from().isEmpty() ? " added" : field.to().isEmpty() ? " removed" : " changed");
        }
        if (field.from().isEmpty()) {
            return label + (CONDITION.matcher(field.path()).matches() ? " " : " +") + value(field.to());
        }
        if (field.to().isEmpty()) {
            return label + " -" + value(field.from());
        }
        return label + ' ' + value(field.from()) + " → " + value(field.to());
    }

    private static String initial(String label, FieldChange field, boolean isSecret) {
        return isSecret && isData(field.path()) ? label : label + ' ' + value(field.to());
    }

    private static boolean isData(String path) {
        return path.startsWith("data") || path.startsWith("stringData") || path.contains("annotations");
    }

    /** Returns {@code mounts[web/data].state}, with Pod and volume instead of the path, for a field of a mount. */
    private static Optional<String> mountLabel(String path, JsonNode... objects) {
        Matcher field = MOUNT.matcher(path);
        if (path.length() > MAX_PATH || !field.matches()) {
            return Optional.empty();
        }
        for (JsonNode object : objects) {
            for (JsonNode mount : object.path("status").path("mounts")) {
                String pod = mount.path("pod").path("name").asText();
                if (!pod.isEmpty() && mount.path("path").asText().equals(field.group(1))) {
                    String name = pod + '/' + mount.path("volumeName").asText();
                    return Optional.of("mounts[" + clean(name, MAX_VALUE) + ']' + field.group(2));
                }
            }
        }
        return Optional.empty();
    }

    /** Returns a short name: {@code phase}, {@code Ready} for a condition, {@code requests.storage}. */
    private static String label(String path) {
        Matcher condition = CONDITION.matcher(path);
        if (condition.matches()) {
            return clean(condition.group(1), MAX_VALUE);
        }
        String label = path.replaceFirst("^(metadata|spec|status)\\.", "")
                .replaceFirst("^resources\\.", "")
                .replaceFirst("\\[]$", "");
        return clean(label, MAX_VALUE);
    }

    private static String value(Optional<JsonNode> value) {
        JsonNode node = value.orElseThrow();
        if (node.isArray()) {
            if (node.size() <= MAX_LIST && isFlat(node)) {
                List<String> elements = new ArrayList<>();
                node.forEach(element -> elements.add(element.asText()));
                return clean(elements.toString(), MAX_VALUE);
            }
            return "[" + node.size() + "]";
        }
        if (node.isObject()) {
            return node.isEmpty() ? "{}" : "{…}";
        }
        String text = node.asText();
        if (text.isEmpty()) {
            return "\"\"";
        }
        return clean(text.startsWith("kubernetes.io/") ? text.substring("kubernetes.io/".length()) : text, MAX_VALUE);
    }

    private static boolean isFlat(JsonNode list) {
        for (JsonNode element : list) {
            if (!element.isValueNode()) {
                return false;
            }
        }
        return true;
    }

    /** Shortens a text and replaces characters that would move a terminal's cursor. */
    private static String clean(String text, int length) {
        StringBuilder cleaned = new StringBuilder();
        text.codePoints().limit(length + 1L).forEach(c -> {
            int type = Character.getType(c);
            boolean hidden = type == Character.CONTROL
                    || type == Character.FORMAT
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR
                    || type == Character.SURROGATE;
            cleaned.appendCodePoint(hidden ? ' ' : c);
        });
        return cleaned.codePointCount(0, cleaned.length()) <= length
                ? cleaned.toString()
                : cleaned.substring(0, cleaned.offsetByCodePoints(0, length - 1)) + '…';
    }

    /** Returns how many containers of a Pod are ready, if that changed: {@code ready 0/1 → 1/1}. */
    private static Optional<String> readiness(JsonNode before, JsonNode after) {
        String from = readyContainers(before);
        String to = readyContainers(after);
        if (to.isEmpty() || from.equals(to)) {
            return Optional.empty();
        }
        return Optional.of(from.isEmpty() ? "ready " + to : "ready " + from + " → " + to);
    }

    private static String readyContainers(JsonNode object) {
        JsonNode statuses = object.path("status").path("containerStatuses");
        int ready = 0;
        for (JsonNode container : statuses) {
            ready += container.path("ready").asBoolean() ? 1 : 0;
        }
        return statuses.isEmpty() ? "" : ready + "/" + statuses.size();
    }
}
