package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Expands references to environment variables with static values in an exec command: $(NAME) becomes the value, or
 * stays unchanged if the spec has none; $$ becomes $.
 */
final class StaticEnv {
    private StaticEnv() {}

    static List<String> expand(JsonNode command, JsonNode container) {
        Map<String, String> values = new HashMap<>();
        for (JsonNode each : container.path("env")) {
            if (!each.hasNonNull("valueFrom")) {
                values.put(each.path("name").asText(""), each.path("value").asText(""));
            }
        }
        List<String> words = new ArrayList<>();
        command.forEach(word -> words.add(expand(word.asText(""), values)));
        return words;
    }

    private static String expand(String word, Map<String, String> values) {
        StringBuilder text = new StringBuilder();
        int at = 0;
        while (at < word.length()) {
            int closer = word.startsWith("$(", at) ? word.indexOf(')', at + 2) : -1;
            if (word.startsWith("$$", at)) {
                text.append('$');
                at += 2;
            } else if (closer >= 0) {
                text.append(values.getOrDefault(word.substring(at + 2, closer), word.substring(at, closer + 1)));
                at = closer + 1;
            } else {
                text.append(word.charAt(at));
                at++;
            }
        }
        return text.toString();
    }
}
