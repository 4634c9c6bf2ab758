package dev.mooring.model;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The IPv4 range of the addresses of Services. The first address is that of Service {@code default/kubernetes}, the
 * tenth that of the DNS server; both are reserved.
 *
 * @param base the network address
 * @param prefix length of the network prefix
 */
public record ServiceRange(int base, int prefix) {
    public static final ServiceRange DEFAULT = new ServiceRange((10 << 24) | (96 << 16), 16);

    private static final Pattern FORM = Pattern.compile("(.+)/(\\d{1,2})");
    private static final Pattern ADDRESS = Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})");
    private static final int WIDEST = 12;
    private static final int NARROWEST = 26;
    private static final int API = 1;
    private static final int DNS = 10;

    /**
     * Parses a range.
     *
     * @throws IllegalArgumentException if the text is not an IPv4 network of 64 to 1,048,576 addresses
     */
    public static ServiceRange parse(String text) {
        Matcher form = FORM.matcher(text.trim());
        Optional<Integer> base = form.matches() ? address(form.group(1)) : Optional.empty();
        if (base.isEmpty()) {
            throw new IllegalArgumentException("not an IPv4 network such as 10.96.0.0/16: " + text);
        }
        int prefix = Integer.parseInt(form.group(2));
        if (prefix < WIDEST || prefix > NARROWEST) {
            throw new IllegalArgumentException(
                    "the prefix must have " + WIDEST + " to " + NARROWEST + " bits, got " + prefix);
        }
        if ((base.get() & ((1 << (Integer.SIZE - prefix)) - 1)) != 0) {
            throw new IllegalArgumentException(text + " has host bits; the network address must end with zeros");
        }
        return new ServiceRange(base.get(), prefix);
    }

    /** Returns any IPv4 network; empty if the text is none. */
    public static Optional<ServiceRange> network(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches() || Integer.parseInt(form.group(2)) > Integer.SIZE) {
            return Optional.empty();
        }
        int prefix = Integer.parseInt(form.group(2));
        return address(form.group(1)).map(base -> new ServiceRange(base & mask(prefix), prefix));
    }

    private static int mask(int prefix) {
        return prefix == 0 ? 0 : -1 << (Integer.SIZE - prefix);
    }

    /** Returns an IPv4 address as a number; empty if the text is none. */
    public static Optional<Integer> address(String text) {
        Matcher form = ADDRESS.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        int value = 0;
        for (int i = 1; i <= 4; i++) {
            int part = Integer.parseInt(form.group(i));
            if (part > 255 || (form.group(i).length() > 1 && form.group(i).startsWith("0"))) {
                return Optional.empty();
            }
            value = (value << 8) | part;
        }
        return Optional.of(value);
    }

    public int size() {
        return 1 << (Integer.SIZE - prefix);
    }

    public boolean contains(int address) {
        return ((address ^ base) & mask(prefix)) == 0;
    }

    /** Returns whether a user's Service may have the address. */
    public boolean isAssignable(int address) {
        int index = address - base;
        return contains(address) && index != 0 && index != size() - 1 && index != API && index != DNS;
    }

    public String text(int address) {
        return ((address >>> 24) & 255) + "." + ((address >>> 16) & 255) + "." + ((address >>> 8) & 255) + "."
                + (address & 255);
    }

    /** Returns the address of Service {@code default/kubernetes}. */
    public String api() {
        return text(base + API);
    }

    /** Returns the address of the DNS server. */
    public String dns() {
        return text(base + DNS);
    }

    @Override
    public String toString() {
        return text(base) + '/' + prefix;
    }
}
