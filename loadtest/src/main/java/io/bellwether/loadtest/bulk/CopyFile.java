package io.bellwether.loadtest.bulk;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Writes the rows that a feed becomes in the table {@code policy}, in the feed's order, as COPY reads them. The text format
 * is what {@code \copy policy to} writes: bytes in hexadecimal.
 */
final class CopyFile {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BINARY_HEADER = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0, 0, 0,
            0,
            0, 0, 0, 0, 0};
    private static final int BUFFER = 1 << 18;
    private static final long SET_ID = 1;

    private CopyFile() {}

    /** Writes rows in the text format. */
    static void writeText(Path feed, Path to) throws IOException {
        MessageDigest sha256 = sha256();
        byte[] setId = (SET_ID + "\t\\\\x").getBytes(StandardCharsets.US_ASCII);
        byte[] next = "\t\\\\x".getBytes(StandardCharsets.US_ASCII);
        try (FeedLine line = new FeedLine(feed);
                BufferedOutputStream out = new BufferedOutputStream(Files.newOutputStream(to), BUFFER)) {
            while (line.next()) {
                sha256.update(line.buffer(), line.bodyOffset(), line.bodyLength());
                out.write(setId);
                hex(out, line.key(), 0, line.key().length);
                out.write(next);
                hex(out, line.buffer(), line.bodyOffset(), line.bodyLength());
                out.write(next);
                byte[] hash = sha256.digest();
                hex(out, hash, 0, hash.length);
                out.write('\n');
            }
        }
    }

    /** Writes rows in the binary format. */
    static void writeBinary(Path feed, Path to) throws IOException {
        MessageDigest sha256 = sha256();
        try (FeedLine line = new FeedLine(feed);
                DataOutputStream out = new DataOutputStream(
                        new BufferedOutputStream(Files.newOutputStream(to), BUFFER))) {
            out.write(BINARY_HEADER);
            while (line.next()) {
                sha256.update(line.buffer(), line.bodyOffset(), line.bodyLength());
                out.writeShort(4);
                out.writeInt(Long.BYTES);
                out.writeLong(SET_ID);
                out.writeInt(line.key().length);
                out.write(line.key());
                out.writeInt(line.bodyLength());
                out.write(line.buffer(), line.bodyOffset(), line.bodyLength());
                byte[] hash = sha256.digest();
                out.writeInt(hash.length);
                out.write(hash);
            }
            out.writeShort(-1);
        }
    }

    private static void hex(BufferedOutputStream out, byte[] bytes, int offset, int length) throws IOException {
        for (int i = offset; i < offset + length; i++) {
            out.write(HEX[bytes[i] >> 4 & 0xf]);
            out.write(HEX[bytes[i] & 0xf]);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
