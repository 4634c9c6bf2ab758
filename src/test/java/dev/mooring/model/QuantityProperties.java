package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

/** Properties of quantities in all notations. */
class QuantityProperties {
    @Provide
    Arbitrary<String> text() {
        Arbitrary<String> sign = Arbitraries.of("", "-", "+");
        Arbitrary<String> number =
                Arbitraries.strings().numeric().ofMinLength(1).ofMaxLength(12);
        Arbitrary<String> fraction = Arbitraries.strings()
                .numeric()
                .ofMaxLength(4)
                .map(digits -> '.' + digits)
                .injectNull(0.5)
                .map(each -> each == null ? "" : each);
        Arbitrary<String> unit = Arbitraries.of(
                "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-2", "e+7",
                "e0");
        return Combinators.combine(sign, number, fraction, unit)
                .as((plusOrMinus, whole, part, of) -> plusOrMinus + whole + part + of);
    }

    @Property
    void quantity_canonicalForm_isEqualAndStable(@ForAll("text") String text) {
        Quantity quantity = Quantity.parse(text);
        Quantity reparsed = Quantity.parse(quantity.canonical());

        assertThat(reparsed).isEqualByComparingTo(quantity).isEqualTo(quantity).hasSameHashCodeAs(quantity);
        assertThat(reparsed.canonical()).isEqualTo(quantity.canonical());
        assertThat(quantity.canonical()).doesNotContain(".");
    }

    @Property
    void quantity_order_isNumeric(@ForAll("text") String left, @ForAll("text") String right) {
        Quantity first = Quantity.parse(left);
        Quantity second = Quantity.parse(right);

        assertThat(Integer.signum(first.compareTo(second)))
                .isEqualTo(Integer.signum(first.exact().compareTo(second.exact())))
                .isEqualTo(-Integer.signum(second.compareTo(first)));
        assertThat(first.equals(second)).isEqualTo(first.compareTo(second) == 0);
    }

    @Property
    void quantity_ofBytes_isExact(@ForAll @LongRange(max = Long.MAX_VALUE) long bytes) {
        assertThat(Quantity.parse(Quantity.ofBytes(bytes).canonical()).exact())
                .isEqualByComparingTo(BigDecimal.valueOf(bytes));
        assertThat(Quantity.ofBytes(bytes).value()).isEqualTo(bytes);
    }

    @Property
    void quantity_plusAndMinus_areInverse(@ForAll("text") String left, @ForAll("text") String right) {
        Quantity first = Quantity.parse(left);
        Quantity second = Quantity.parse(right);

        assertThat(first.plus(second).minus(second)).isEqualTo(first);
    }

    @Property
    void quantity_anyText_isParsedOrRejectedWithMessageOfKubernetes(@ForAll String text) {
        try {
            assertThat(Quantity.parse(text).canonical()).isNotEmpty();
        } catch (Quantity.MalformedException rejected) {
            assertThat(rejected).hasMessageMatching("quantities must match.*|unable to parse quantity's suffix");
        }
    }
}
