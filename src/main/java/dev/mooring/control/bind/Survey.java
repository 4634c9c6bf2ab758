package dev.mooring.control.bind;

import dev.mooring.model.Quantity;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Why none of the volumes there are is given to a claim, in one sentence with counts and names. Each volume is counted once, for the first reason
 * that keeps it away.
 */
final class Survey {
    /** Volumes of one class that are looked at one by one; beyond them only their number is told. */
    private static final int MAX_LOOKED_AT = 2000;

    /** Names that are told; of more, the number. */
    private static final int MAX_NAMES = 3;

    private final Claim claim;
    private final String wanted;
    private final Known known;
    private int looked;
    private int deleting;
    private int bound;
    private int failed;
    private int otherMode;
    private int otherAttributes;
    private int otherAccess;
    private int tooSmall;
    private int notSelected;
    private int unreachable;
    private int promised;
    private Quantity largest = Quantity.ZERO;
    private final List<String> released = new ArrayList<>();
    private int releasedMore;
    private Optional<String> releasedVolume = Optional.empty();

    private Survey(Claim claim, Known known) {
        this.claim = claim;
        this.wanted = claim.className().orElse("");
        this.known = known;
    }

    /** "" if there are no volumes at all. */
    static String of(Claim claim, Known known) {
        return new Survey(claim, known).text();
    }

    private String text() {
        int all = known.volumes().size();
        if (all == 0) {
            return "there are no PersistentVolumes";
        }
        Collection<VolumeEntry> ofClass = known.volumes().ofClass(wanted);
        for (VolumeEntry entry : ofClass) {
            if (looked == MAX_LOOKED_AT) {
                break;
            }
            looked++;
            count(entry);
        }
        List<String> reasons = new ArrayList<>();
        add(reasons, tooSmall, "too small (largest " + largest.canonical() + ")");
        others(reasons, all - ofClass.size());
        add(reasons, otherAccess, "without access mode " + claim.accessModes());
        add(reasons, otherMode, "not of volumeMode " + claim.mode());
        add(reasons, otherAttributes, "of another VolumeAttributesClass");
        add(reasons, notSelected, "not matching the selector");
        add(reasons, unreachable, "on no node that exists");
        add(reasons, bound, "taken by other claims");
        add(reasons, promised, "about to be bound");
        if (!released.isEmpty()) {
            String from = String.join(", ", released);
            add(reasons, released.size() + releasedMore, "Released from " + from + (releasedMore > 0 ? ", …" : ""));
        }
        add(reasons, failed, "Failed");
        add(reasons, deleting, "being deleted");
        add(reasons, ofClass.size() - looked, "more of this class");
        String next = releasedVolume
                .map(name -> "; next: offer a Released volume again with: mooring release pv/" + name)
                .orElse("");
        return all + (all == 1 ? " PV" : " PVs") + " looked at: " + String.join(", ", reasons) + next;
    }

    private void count(VolumeEntry entry) {
        switch (entry.state()) {
            case BEING_DELETED -> deleting++;
            case RELEASED -> release(entry);
            case FAILED -> failed++;
            case TAKEN -> bound++;
            case FREE -> misfit(entry);
        }
    }

    private void release(VolumeEntry entry) {
        if (released.size() < MAX_NAMES) {
            released.add(entry.claimRef().map(ClaimRef::toString).orElse("nobody"));
        } else {
            releasedMore++;
        }
        if (releasedVolume.isEmpty()) {
            releasedVolume = Optional.of(entry.name());
        }
    }

    private void misfit(VolumeEntry entry) {
        if (entry.shelf().mode() != claim.mode()) {
            otherMode++;
        } else if (!entry.shelf().attributesClass().equals(claim.attributesClass())) {
            otherAttributes++;
        } else if (!entry.accessModes().containsAll(claim.accessModes())) {
            otherAccess++;
        } else if (entry.capacity().compareTo(claim.request()) < 0) {
            tooSmall++;
            largest = entry.capacity().compareTo(largest) > 0 ? entry.capacity() : largest;
        } else if (claim.selector()
                .filter(selector -> !selector.matches(entry.labels()))
                .isPresent()) {
            notSelected++;
        } else if (!known.isReachable(entry.affinity())) {
            unreachable++;
        } else {
            promised++;
        }
    }

    private void others(List<String> reasons, int count) {
        if (count == 0) {
            return;
        }
        TreeSet<String> names = new TreeSet<>(known.volumes().classes());
        names.remove(wanted);
        if (names.size() == 1) {
            add(reasons, count, "class " + shown(names.first()) + '≠' + shown(wanted));
            return;
        }
        String some = names.stream()
                .limit(MAX_NAMES)
                .map(Survey::shown)
                .reduce((a, b) -> a + ", " + b)
                .orElse("");
        add(
                reasons,
                count,
                "of other classes than " + shown(wanted) + " (" + some + (names.size() > MAX_NAMES ? ", …)" : ")"));
    }

    private static String shown(String className) {
        return className.isEmpty() ? "\"\"" : className;
    }

    private static void add(List<String> reasons, int count, String reason) {
        if (count > 0) {
            reasons.add(count + " " + reason);
        }
    }
}
