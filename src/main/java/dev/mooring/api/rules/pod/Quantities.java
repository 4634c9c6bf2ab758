package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.rules.QuantityRules;
import dev.mooring.model.Quantity;
import java.math.BigDecimal;

/** Functions for quantities in an object. Stateless. */
final class Quantities {
    private Quantities() {}

    static boolean isNegative(JsonNode value) {
        return QuantityRules.parse(value).signum() < 0;
    }

    static boolean isZero(JsonNode value) {
        return QuantityRules.parse(value).signum() == 0;
    }

    static int compare(JsonNode one, JsonNode other) {
        return QuantityRules.parse(one).compareTo(QuantityRules.parse(other));
    }

    static String canonical(JsonNode value) {
        return QuantityRules.parse(value).canonical();
    }

    static boolean isWhole(JsonNode value) {
        return QuantityRules.parse(value).milliValue() % 1000 == 0;
    }

    /** Returns whether a quantity is a multiple of another: {@code 4Mi} of {@code 2Mi}. */
    static boolean isMultiple(JsonNode value, String unit) {
        BigDecimal one;
        try {
            one = Quantity.parse(unit).exact();
        } catch (Quantity.MalformedException ignored) {
            return false;
        }
        return one.signum() > 0
                && QuantityRules.parse(value).exact().remainder(one).signum() == 0;
    }
}
