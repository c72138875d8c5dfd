package io.bellwether.source;

import java.io.IOException;
import java.io.InputStream;

/** A stream of which blocks are read: one byte is read as a block of one. */
abstract class BlockInput extends InputStream {
    @Override
    public abstract int read(byte[] bytes, int offset, int length) throws IOException;

    @Override
    public final int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }
}
