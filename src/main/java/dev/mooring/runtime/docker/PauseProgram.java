package dev.mooring.runtime.docker;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.Optional;

/**
 * A pause program for sandboxes, assembled by hand because neither a compiler nor a registry may be available:
 * a static ELF binary of 240 bytes for one of two architectures.
 *
 * <pre>
 *   rt_sigaction(SIGCHLD, SIG_IGN)            as process 1 of a shared process name space it inherits orphans: the kernel reaps them itself
 *   rt_sigprocmask(SIG_BLOCK, {INT, TERM})    a blocked signal reaches even process 1, which otherwise gets none that it does not handle
 *   do r = rt_sigtimedwait({INT, TERM}) while r &lt; 0        interrupted: again
 *   exit_group(0)
 * </pre>
 *
 * It terminates on SIGTERM, so that neither {@code docker stop} nor the engine's shutdown has to wait. Both versions have the
 * same layout: ELF header (64 bytes), program header (56), code (80), sigaction (32), signal set (8). Immutable.
 */
enum PauseProgram {
    /** The ELF machine number EM_X86_64. */
    X86_64(62) {
        @Override
        void code(ByteBuffer out) {
            bytes(out, 0xB8, 13, 0, 0, 0); //             00  mov eax, 13        rt_sigaction
            bytes(out, 0xBF, 17, 0, 0, 0); //             05  mov edi, 17        SIGCHLD
            bytes(out, 0x48, 0x8D, 0x35, 0x3F, 0, 0, 0); // 0A  lea rsi, [rip + 3F]  = 50, the sigaction
            bytes(out, 0x31, 0xD2); //                    11  xor edx, edx       the old one is not wanted
            bytes(out, 0x41, 0xBA, 8, 0, 0, 0); //        13  mov r10d, 8        bytes of a signal set; stays
            bytes(out, 0x0F, 0x05); //                    19  syscall
            bytes(out, 0xB8, 14, 0, 0, 0); //             1B  mov eax, 14        rt_sigprocmask
            bytes(out, 0x31, 0xFF); //                    20  xor edi, edi       SIG_BLOCK
            bytes(out, 0x48, 0x8D, 0x35, 0x47, 0, 0, 0); // 22  lea rsi, [rip + 47]  = 70, the signal set
            bytes(out, 0x31, 0xD2); //                    29  xor edx, edx
            bytes(out, 0x0F, 0x05); //                    2B  syscall
            bytes(out, 0xB8, 0x80, 0, 0, 0); //           2D  mov eax, 128       rt_sigtimedwait
            bytes(out, 0x48, 0x8D, 0x3D, 0x37, 0, 0, 0); // 32  lea rdi, [rip + 37]  = 70, the signal set
            bytes(out, 0x31, 0xF6); //                    39  xor esi, esi       no details wanted
            bytes(out, 0x31, 0xD2); //                    3B  xor edx, edx       for ever
            bytes(out, 0x0F, 0x05); //                    3D  syscall
            bytes(out, 0x85, 0xC0); //                    3F  test eax, eax
            bytes(out, 0x78, 0xEA); //                    41  js -16h            = 2D
            bytes(out, 0xB8, 0xE7, 0, 0, 0); //           43  mov eax, 231       exit_group
            bytes(out, 0x31, 0xFF); //                    48  xor edi, edi
            bytes(out, 0x0F, 0x05); //                    4A  syscall
            bytes(out, 0x0F, 0x1F, 0x40, 0x00); //        4C  nop                to 50
        }
    },
    /** The ELF machine number EM_AARCH64. */
    AARCH64(183) {
        @Override
        void code(ByteBuffer out) {
            out.putInt(0xD28010C8); // 00  mov x8, #134       rt_sigaction
            out.putInt(0xD2800220); // 04  mov x0, #17        SIGCHLD
            out.putInt(0x10000241); // 08  adr x1, +48h       = 50, the sigaction
            out.putInt(0xD2800002); // 0C  mov x2, #0         the old one is not wanted
            out.putInt(0xD2800103); // 10  mov x3, #8         bytes of a signal set; stays
            out.putInt(0xD4000001); // 14  svc #0
            out.putInt(0xD28010E8); // 18  mov x8, #135       rt_sigprocmask
            out.putInt(0xD2800000); // 1C  mov x0, #0         SIG_BLOCK
            out.putInt(0x10000281); // 20  adr x1, +50h       = 70, the signal set
            out.putInt(0xD2800002); // 24  mov x2, #0
            out.putInt(0xD4000001); // 28  svc #0
            out.putInt(0xD2801128); // 2C  mov x8, #137       rt_sigtimedwait
            out.putInt(0x10000200); // 30  adr x0, +40h       = 70, the signal set
            out.putInt(0xD2800001); // 34  mov x1, #0         no details wanted
            out.putInt(0xD2800002); // 38  mov x2, #0         for ever
            out.putInt(0xD4000001); // 3C  svc #0
            out.putInt(0xB7FFFF60); // 40  tbnz x0, #63, -14h = 2C
            out.putInt(0xD2800BC8); // 44  mov x8, #94        exit_group
            out.putInt(0xD2800000); // 48  mov x0, #0
            out.putInt(0xD4000001); // 4C  svc #0
        }
    };

    private static final int ELF_HEADER = 64;
    private static final int PROGRAM_HEADER = 56;
    private static final int CODE = 80;
    private static final int DATA = 40;
    private static final int SIZE = ELF_HEADER + PROGRAM_HEADER + CODE + DATA;
    private static final long ADDRESS = 0x400000;
    private static final long LARGEST_PAGE = 0x10000;
    private static final int SIGINT = 2;
    private static final int SIGTERM = 15;

    private final int machine;

    PauseProgram(int machine) {
        this.machine = machine;
    }

    abstract void code(ByteBuffer out);

    /**
     * Returns the program for an architecture.
     *
     * @param architecture in the kernel's or Go's naming
     */
    static Optional<PauseProgram> of(String architecture) {
        return switch (architecture.toLowerCase(Locale.ROOT)) {
            case "x86_64", "amd64" -> Optional.of(X86_64);
            case "aarch64", "arm64" -> Optional.of(AARCH64);
            default -> Optional.empty();
        };
    }

    byte[] elf() {
        ByteBuffer out = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
        elfHeader(out);
        programHeader(out);
        code(out);
        out.putLong(1); //                                            sigaction: handler SIG_IGN,
        out.putLong(0).putLong(0).putLong(0); //                      flags, restorer and mask none
        out.putLong(1L << (SIGINT - 1) | 1L << (SIGTERM - 1)); //     signal set
        if (out.hasRemaining()) {
            throw new IllegalStateException("program must have " + SIZE + " bytes, got " + out.position());
        }
        return out.array();
    }

    private void elfHeader(ByteBuffer out) {
        bytes(out, 0x7F, 'E', 'L', 'F');
        bytes(out, 2, 1, 1, 0); //                            64 bits, little endian, version 1, System V
        out.putLong(0); //                                    padding
        out.putShort((short) 2); //                           executable
        out.putShort((short) machine);
        out.putInt(1); //                                     version
        out.putLong(ADDRESS + ELF_HEADER + PROGRAM_HEADER); // entry: the code
        out.putLong(ELF_HEADER); //                           where the program header is
        out.putLong(0); //                                    no section headers
        out.putInt(0); //                                     flags
        out.putShort((short) ELF_HEADER);
        out.putShort((short) PROGRAM_HEADER);
        out.putShort((short) 1); //                           one program header
        out.putShort((short) 0); //                           size, number and names of section headers
        out.putShort((short) 0);
        out.putShort((short) 0);
    }

    private static void programHeader(ByteBuffer out) {
        out.putInt(1); //            load
        out.putInt(5); //            to read and execute
        out.putLong(0); //           from the file's beginning
        out.putLong(ADDRESS); //     virtual
        out.putLong(ADDRESS); //     physical
        out.putLong(SIZE); //        in the file
        out.putLong(SIZE); //        in memory
        out.putLong(LARGEST_PAGE); // alignment
    }

    private static void bytes(ByteBuffer out, int... values) {
        for (int value : values) {
            out.put((byte) value);
        }
    }
}
