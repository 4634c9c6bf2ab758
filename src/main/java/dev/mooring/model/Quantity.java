package dev.mooring.model;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * A Kubernetes quantity: {@code 1Gi}, {@code 500m}, {@code 1e3}, {@code 0.5}. Exact down to a billionth; smaller
 * fractions are rounded away from zero, so that a non-zero request never becomes zero. Two are equal if they are the
 * same number, however written. Immutable.
 */
public final class Quantity implements Comparable<Quantity> {
    public static final Quantity ZERO = new Quantity(BigDecimal.ZERO, Format.DECIMAL);

    /** Limit of the text, because arithmetic on a megabyte of digits would block the server. */
    private static final int MAX_LENGTH = 1024;

    /** Limit of the exponent, for the same reason. */
    private static final int MAX_EXPONENT = 2000;

    private static final int NANO = 9;
    private static final int EXA = 18;
    private static final BigInteger KIBI = BigInteger.valueOf(1024);
    private static final BigDecimal KIBI_DECIMAL = BigDecimal.valueOf(1024);
    private static final BigDecimal LARGEST_LONG = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final BigDecimal SMALLEST_LONG = BigDecimal.valueOf(Long.MIN_VALUE);
    private static final String DECIMAL_UNITS = "num kMGTPE";
    private static final String BINARY_UNITS = "KMGTPE";

    /** How the quantity was written, and so how it is formatted. */
    private enum Format {
        DECIMAL,
        BINARY,
        EXPONENT
    }

    /** Thrown for a text that is not a quantity. The message is Kubernetes' own. */
    public static final class MalformedException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        private MalformedException(String message) {
            super(message);
        }
    }

    private final BigDecimal amount;
    private final Format format;

    private Quantity(BigDecimal amount, Format format) {
        this.amount = amount;
        this.format = format;
    }

    /** Returns a number of bytes, formatted with {@code Ki}, {@code Mi} … where that is exact. */
    public static Quantity ofBytes(long bytes) {
        return new Quantity(BigDecimal.valueOf(bytes), Format.BINARY);
    }

    /**
     * Parses a quantity. A sign, a point or a unit alone is 0, as in Kubernetes' implementation, though not in its
     * regular expression.
     *
     * @throws MalformedException if the text is not a quantity
     */
    public static Quantity parse(String text) {
        int length = text.length();
        if (length == 0 || length > MAX_LENGTH) {
            throw wrongFormat();
        }
        int start = text.charAt(0) == '-' || text.charAt(0) == '+' ? 1 : 0;
        int afterWhole = afterDigits(text, start);
        boolean fraction = afterWhole < length && text.charAt(afterWhole) == '.';
        int afterNumber = fraction ? afterDigits(text, afterWhole + 1) : afterWhole;
        if (!looksLikeSuffix(text, afterNumber)) {
            throw wrongFormat();
        }
        BigDecimal number = number(text, start, afterWhole, afterNumber);
        return withSuffix(text.charAt(0) == '-' ? number.negate() : number, text.substring(afterNumber));
    }

    private static BigDecimal number(String text, int start, int afterWhole, int afterNumber) {
        String fraction = afterNumber > afterWhole ? text.substring(afterWhole + 1, afterNumber) : "";
        if (fraction.isEmpty() && afterWhole - start <= EXA) {
            return afterWhole == start
                    ? BigDecimal.ZERO
                    : BigDecimal.valueOf(Long.parseLong(text, start, afterWhole, 10));
        }
        return new BigDecimal(new BigInteger(text.substring(start, afterWhole) + fraction), fraction.length());
    }

    private static Quantity withSuffix(BigDecimal number, String suffix) {
        if (suffix.isEmpty()) {
            return rounded(number, Format.DECIMAL);
        }
        char unit = suffix.charAt(0);
        if (suffix.length() == 1) {
            int place = unit == ' ' ? -1 : DECIMAL_UNITS.indexOf(unit);
            if (place < 0) {
                throw wrongSuffix();
            }
            return rounded(number.scaleByPowerOfTen(3 * place - NANO), Format.DECIMAL);
        }
        if (suffix.length() == 2 && suffix.charAt(1) == 'i') {
            int place = BINARY_UNITS.indexOf(unit);
            if (place < 0) {
                throw wrongSuffix();
            }
            return binary(number.multiply(BigDecimal.valueOf(1L << (10 * (place + 1)))));
        }
        if (unit != 'e' && unit != 'E') {
            throw wrongSuffix();
        }
        return rounded(number.scaleByPowerOfTen(exponent(suffix)), Format.EXPONENT);
    }

    private static Quantity binary(BigDecimal number) {
        BigDecimal capped = number.abs().compareTo(LARGEST_LONG) > 0
                ? number.signum() < 0 ? LARGEST_LONG.negate() : LARGEST_LONG
                : number;
        return rounded(capped, Format.BINARY);
    }

    private static Quantity rounded(BigDecimal number, Format format) {
        return new Quantity(number.scale() > NANO ? number.setScale(NANO, RoundingMode.UP) : number, format);
    }

    private static int exponent(String suffix) {
        try {
            int exponent = Integer.parseInt(suffix, 1, suffix.length(), 10);
            if (Math.abs((long) exponent) <= MAX_EXPONENT) {
                return exponent;
            }
        } catch (NumberFormatException ignored) {
            // No digits, an invalid letter, or an exponent that is too long.
        }
        throw wrongSuffix();
    }

    private static int afterDigits(String text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        return at;
    }

    /**
     * Returns whether the text has unit letters, an optional sign, then digits, as the regular expression in the
     * message allows.
     */
    private static boolean looksLikeSuffix(String text, int from) {
        int at = from;
        while (at < text.length() && "eEinumkKMGTP".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        if (at < text.length() && (text.charAt(at) == '-' || text.charAt(at) == '+')) {
            at++;
        }
        return afterDigits(text, at) == text.length();
    }

    private static MalformedException wrongFormat() {
        return new MalformedException(
                "quantities must match the regular expression" + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }

    private static MalformedException wrongSuffix() {
        return new MalformedException("unable to parse quantity's suffix");
    }

    public int signum() {
        return amount.signum();
    }

    /** Returns the exact number. */
    public BigDecimal exact() {
        return amount;
    }

    /** Returns the integer value, rounded up, capped at the maximum of a long. */
    public long value() {
        return saturated(amount.setScale(0, RoundingMode.CEILING));
    }

    /** Returns the value in thousandths, rounded up, capped at the maximum of a long. */
    public long milliValue() {
        return saturated(amount.movePointRight(3).setScale(0, RoundingMode.CEILING));
    }

    private static long saturated(BigDecimal whole) {
        if (whole.compareTo(LARGEST_LONG) > 0) {
            return Long.MAX_VALUE;
        }
        return whole.compareTo(SMALLEST_LONG) < 0 ? Long.MIN_VALUE : whole.longValue();
    }

    public Quantity plus(Quantity other) {
        return new Quantity(amount.add(other.amount), format);
    }

    public Quantity minus(Quantity other) {
        return new Quantity(amount.subtract(other.amount), format);
    }

    /**
     * Returns the canonical form: no fraction, the largest possible unit, and units of the format it was parsed with.
     * {@code 1024Mi} is {@code 1Gi}, {@code 0.5} is {@code 500m}, {@code 2000} is {@code 2k}.
     */
    public String canonical() {
        if (amount.signum() == 0) {
            return "0";
        }
        if (format == Format.BINARY && amount.abs().compareTo(KIBI_DECIMAL) >= 0 && isWhole()) {
            return canonicalBinary(amount.toBigIntegerExact());
        }
        return canonicalDecimal();
    }

    private boolean isWhole() {
        return amount.scale() <= 0 || amount.stripTrailingZeros().scale() <= 0;
    }

    private static String canonicalBinary(BigInteger whole) {
        BigInteger left = whole;
        int place = 0;
        while (place < BINARY_UNITS.length() && left.getLowestSetBit() >= 10) {
            left = left.divide(KIBI);
            place++;
        }
        return place == 0 ? left.toString() : left.toString() + BINARY_UNITS.charAt(place - 1) + 'i';
    }

    private String canonicalDecimal() {
        BigDecimal bare = amount.stripTrailingZeros();
        int exponent = Math.floorDiv(-bare.scale(), 3) * 3;
        if (format != Format.EXPONENT) {
            exponent = Math.min(exponent, EXA);
        }
        String number = bare.scaleByPowerOfTen(-exponent).toBigIntegerExact().toString();
        if (exponent == 0) {
            return number;
        }
        return format == Format.EXPONENT
                ? number + 'e' + exponent
                : number + DECIMAL_UNITS.charAt((exponent + NANO) / 3);
    }

    @Override
    public int compareTo(Quantity other) {
        return amount.compareTo(other.amount);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Quantity quantity && quantity.amount.compareTo(amount) == 0;
    }

    @Override
    public int hashCode() {
        return amount.stripTrailingZeros().hashCode();
    }

    /** Returns {@link #canonical()}. */
    @Override
    public String toString() {
        return canonical();
    }
}
