package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.rules.QuantityRules;
import dev.mooring.model.Quantity;
import java.math.BigDecimal;

/** Questions about quantities in an object. Stateless. */
final class Amounts {
    private Amounts() {}

    static boolean isNegative(JsonNode value) {
        return QuantityRules.read(value).signum() < 0;
    }

    static boolean isZero(JsonNode value) {
        return QuantityRules.read(value).signum() == 0;
    }

    static int compare(JsonNode one, JsonNode other) {
        return QuantityRules.read(one).compareTo(QuantityRules.read(other));
    }

    static String canonical(JsonNode value) {
        return QuantityRules.read(value).canonical();
    }

    static boolean isWhole(JsonNode value) {
        return QuantityRules.read(value).milliValue() % 1000 == 0;
    }

    /** Whether it is so many of a unit that is itself written as a quantity: {@code 4Mi} of {@code 2Mi}. */
    static boolean isMultiple(JsonNode value, String unit) {
        BigDecimal one;
        try {
            one = Quantity.parse(unit).exact();
        } catch (Quantity.MalformedException ignored) {
            return false;
        }
        return one.signum() > 0
                && QuantityRules.read(value).exact().remainder(one).signum() == 0;
    }
}
