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

/** Quantities are numbers, whatever they look like. */
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
    void canonicalFormMeansTheSameNumberAndIsItsOwnCanonicalForm(@ForAll("text") String text) {
        Quantity quantity = Quantity.parse(text);
        Quantity again = Quantity.parse(quantity.canonical());

        assertThat(again).isEqualByComparingTo(quantity).isEqualTo(quantity).hasSameHashCodeAs(quantity);
        assertThat(again.canonical()).isEqualTo(quantity.canonical());
        assertThat(quantity.canonical()).doesNotContain(".");
    }

    @Property
    void orderIsThatOfTheNumbers(@ForAll("text") String one, @ForAll("text") String other) {
        Quantity first = Quantity.parse(one);
        Quantity second = Quantity.parse(other);

        assertThat(Integer.signum(first.compareTo(second)))
                .isEqualTo(Integer.signum(first.exact().compareTo(second.exact())))
                .isEqualTo(-Integer.signum(second.compareTo(first)));
        assertThat(first.equals(second)).isEqualTo(first.compareTo(second) == 0);
    }

    @Property
    void bytesAreWrittenExactly(@ForAll @LongRange(max = Long.MAX_VALUE) long bytes) {
        assertThat(Quantity.parse(Quantity.ofBytes(bytes).canonical()).exact())
                .isEqualByComparingTo(BigDecimal.valueOf(bytes));
        assertThat(Quantity.ofBytes(bytes).value()).isEqualTo(bytes);
    }

    @Property
    void sumsCanBeTakenApart(@ForAll("text") String one, @ForAll("text") String other) {
        Quantity first = Quantity.parse(one);
        Quantity second = Quantity.parse(other);

        assertThat(first.plus(second).minus(second)).isEqualTo(first);
    }

    @Property
    void anyTextIsAQuantityOrRefused(@ForAll String text) {
        try {
            assertThat(Quantity.parse(text).canonical()).isNotEmpty();
        } catch (Quantity.MalformedException refused) {
            assertThat(refused).hasMessageMatching("quantities must match.*|unable to parse quantity's suffix");
        }
    }
}
