package io.bellwether.endtoend;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

import io.bellwether.feed.FeedGenerator;
import io.bellwether.feed.FeedShape;

/** A feed that changes: what an upstream serves at its first request, its second, and so on. Thread safe. */
interface Feeds {
    /** The bytes of the answer to request {@code number}, from 0. */
    byte[] body(long number);

    /** The same as canonical lines, in any order. */
    List<String> lines(long number);

    /** What the answer says of itself. */
    String contentType();

    /** Generated ones, each a generation further. */
    static Feeds of(FeedShape shape) {
        return new Feeds() {
            @Override
            public byte[] body(long number) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try {
                    new FeedGenerator(shape.atGeneration(number)).writeTo(out);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return out.toByteArray();
            }

            @Override
            public List<String> lines(long number) {
                return new String(body(number), StandardCharsets.UTF_8).lines().toList();
            }

            @Override
            public String contentType() {
                return "application/x-ndjson";
            }
        };
    }

    /** How many feeds there are in a folder. */
    static int count(Path folder) throws IOException {
        return files(folder).size();
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> found = Files.list(folder)) {
            return found.filter(f -> f.toString().endsWith(".ndjson.gz")).sorted().toList();
        }
    }

    /** The files {@code *.ndjson.gz} of a folder by their names, in turn; their lines must be canonical. */
    static Feeds of(Path folder) throws IOException {
        List<byte[]> files = new ArrayList<>();
        for (Path file : files(folder)) {
            files.add(Files.readAllBytes(file));
        }
        if (files.isEmpty()) {
            throw new IOException("no *.ndjson.gz in " + folder);
        }
        return new Feeds() {
            @Override
            public byte[] body(long number) {
                return files.get((int) (number % files.size()));
            }

            @Override
            public List<String> lines(long number) {
                try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(body(number)))) {
                    return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }

            @Override
            public String contentType() {
                return "application/gzip";
            }
        };
    }
}
