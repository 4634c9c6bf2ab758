package dev.mooring.api.types;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * Normalizes quantities as Kubernetes does: an acceptable notation is kept ({@code 1Gi}, {@code 500m}), any other
 * becomes canonical: no fraction, the largest unit without a fraction, units of the given family ({@code 1024Mi} is
 * {@code 1Gi}, {@code 1.5} is {@code 1500m}, {@code 1.5Gi} is {@code 1536Mi}).
 */
final class QuantityText {
    private static final String WRONG_FORMAT =
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    private static final String WRONG_NUMBER = "unable to parse numeric part of quantity";
    private static final String WRONG_SUFFIX = "unable to parse quantity's suffix";

    private static final String SUFFIX_LETTERS = "eEinumkKMGTP";
    private static final String[] BINARY_UNITS = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    private static final String[] DECIMAL_UNITS = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    private static final int NANO = -9;
    private static final int EXA = 18;

    /** Number of digits that always fit into a long. */
    private static final int SAFE_DIGITS = 18;

    /** Maximum exponent: 1e1000000 would be a number of a million digits. */
    private static final int LARGEST_EXPONENT = 1000;

    private static final BigDecimal KIBI = BigDecimal.valueOf(1024);
    private static final BigDecimal LARGEST_BINARY = BigDecimal.valueOf(Long.MAX_VALUE);

    private enum Family {
        DECIMAL,
        BINARY,
        EXPONENT
    }

    /** @param power of ten, or of two in the binary family */
    private record Unit(Family family, int power) {}

    private QuantityText() {}

    /** @throws BodyException if it is not a quantity */
    static String normalize(String written) {
        String text = written.trim();
        if (text.isEmpty() || text.length() > BodyLimits.NUMBER_CHARS) {
            throw new BodyException(WRONG_FORMAT);
        }
        int end = text.length();
        int pos = text.charAt(0) == '-' || text.charAt(0) == '+' ? 1 : 0;
        int whole = skipZeroes(text, pos);
        int point = skipDigits(text, whole);
        boolean fractional = point < end && text.charAt(point) == '.';
        int suffix = fractional ? skipDigits(text, point + 1) : point;
        Unit unit = unit(text, suffix);
        int fractionDigits = fractional ? suffix - point - 1 : 0;
        if (isKept(text, whole, point, fractionDigits, unit)) {
            return text;
        }
        return canonical(amount(text, pos, suffix, fractionDigits, unit), unit.family());
    }

    /**
     * Returns whether Kubernetes stores this text unchanged. Its tests are not exact ({@code 007Gi} is kept), but
     * clients see the result, so they are the same here.
     */
    private static boolean isKept(String text, int whole, int point, int fractionDigits, Unit unit) {
        int wholeDigits = point - whole;
        if (unit.family() == Family.BINARY) {
            boolean small = fractionDigits == 0 && 14 - Math.max(wholeDigits, 1) - (int) (unit.power() * 0.3f) >= 0;
            // at most 14 digits; the lowest three bits tell whether it is divisible by 8, as any multiple of 1024 is
            return small && wholeDigits > 0 && (Long.parseLong(text, whole, point, 10) & 7) != 0;
        }
        int scale = unit.power() - fractionDigits;
        if (wholeDigits == 0 || wholeDigits + fractionDigits > SAFE_DIGITS || scale < NANO || scale % 3 != 0) {
            return false;
        }
        String digits = fractionDigits == 0
                ? text.substring(whole, point)
                : text.substring(whole, point) + text.substring(point + 1, point + 1 + fractionDigits);
        return !digits.endsWith("000");
    }

    private static BigDecimal amount(String text, int pos, int suffix, int fractionDigits, Unit unit) {
        if (suffix - pos == 0 || (suffix - pos == 1 && text.charAt(pos) == '.')) {
            if (unit.power() - fractionDigits < NANO) {
                throw new BodyException(WRONG_NUMBER);
            }
            return BigDecimal.ZERO;
        }
        BigDecimal number = new BigDecimal(text.substring(text.charAt(0) == '+' ? 1 : 0, suffix));
        BigDecimal amount = unit.family() == Family.BINARY
                ? number.multiply(new BigDecimal(BigInteger.ONE.shiftLeft(unit.power())))
                : number.scaleByPowerOfTen(unit.power());
        if (amount.scale() > -NANO) {
            // round away from zero, so that a tiny amount does not become zero
            amount = amount.setScale(-NANO, RoundingMode.UP);
        }
        return unit.family() == Family.BINARY && amount.abs().compareTo(LARGEST_BINARY) > 0
                ? LARGEST_BINARY.multiply(BigDecimal.valueOf(amount.signum()))
                : amount;
    }

    private static String canonical(BigDecimal amount, Family family) {
        if (amount.signum() == 0) {
            return "0";
        }
        BigDecimal plain = amount.stripTrailingZeros();
        if (family == Family.BINARY && plain.scale() <= 0 && amount.abs().compareTo(KIBI) >= 0) {
            return binary(plain.toBigIntegerExact());
        }
        int power = Math.floorDiv(-plain.scale(), 3) * 3;
        if (family != Family.EXPONENT) {
            power = Math.min(power, EXA);
        }
        String digits = plain.scaleByPowerOfTen(-power).toBigIntegerExact().toString();
        if (family == Family.EXPONENT) {
            return power == 0 ? digits : digits + "e" + power;
        }
        return digits + DECIMAL_UNITS[(power - NANO) / 3];
    }

    private static String binary(BigInteger amount) {
        int unit = Math.min(amount.getLowestSetBit() / 10, BINARY_UNITS.length - 1);
        return amount.shiftRight(10 * unit) + BINARY_UNITS[unit];
    }

    private static Unit unit(String text, int start) {
        int end = text.length();
        int pos = start;
        while (pos < end && SUFFIX_LETTERS.indexOf(text.charAt(pos)) >= 0) {
            pos++;
        }
        int letters = pos;
        if (pos < end && (text.charAt(pos) == '-' || text.charAt(pos) == '+')) {
            pos++;
        }
        if (skipDigits(text, pos) < end) {
            throw new BodyException(WRONG_FORMAT);
        }
        if (letters < end) {
            return exponent(text, start);
        }
        return named(text, start, end - start);
    }

    private static Unit named(String text, int start, int length) {
        if (length == 0) {
            return new Unit(Family.DECIMAL, 0);
        }
        char letter = text.charAt(start);
        if (length == 1) {
            int decimal = "num kMGTPE".indexOf(letter);
            if (decimal >= 0) {
                return new Unit(Family.DECIMAL, NANO + 3 * decimal);
            }
        } else if (length == 2 && text.charAt(start + 1) == 'i') {
            int binary = " KMGTPE".indexOf(letter);
            if (binary > 0) {
                return new Unit(Family.BINARY, 10 * binary);
            }
        }
        throw new BodyException(WRONG_SUFFIX);
    }

    private static Unit exponent(String text, int start) {
        if (text.charAt(start) != 'e' && text.charAt(start) != 'E') {
            throw new BodyException(WRONG_SUFFIX);
        }
        try {
            int power = Integer.parseInt(text, start + 1, text.length(), 10);
            if (Math.abs(power) <= LARGEST_EXPONENT) {
                return new Unit(Family.EXPONENT, power);
            }
        } catch (NumberFormatException ignored) {
            // two letters, or more digits than any exponent has
        }
        throw new BodyException(WRONG_SUFFIX);
    }

    private static int skipZeroes(String text, int from) {
        int pos = from;
        while (pos < text.length() && text.charAt(pos) == '0') {
            pos++;
        }
        return pos;
    }

    private static int skipDigits(String text, int from) {
        int pos = from;
        while (pos < text.length() && text.charAt(pos) >= '0' && text.charAt(pos) <= '9') {
            pos++;
        }
        return pos;
    }
}
