package io.bellwether.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

import org.junit.jupiter.api.Test;

import io.bellwether.fault.FaultInjection;

class DistributionIT {
    private static final String SERVICE = "META-INF/services/" + FaultInjection.class.getName();
    private static final String SPI = FaultInjection.class.getName().replace('.', '/') + ".class";

    @Test
    void jars_ofTheDistribution_holdNothingThatInjectsFaults() throws Exception {
        List<String> found = new ArrayList<>();
        boolean spiSeen = false;
        List<Path> jars;
        try (Stream<Path> files = Files.walk(Path.of("target/bellwether"))) {
            jars = files.filter(f -> f.toString().endsWith(".jar")).toList();
        }
        assertThat(jars).hasSizeGreaterThan(10);
        for (Path jar : jars) {
            try (JarFile entries = new JarFile(jar.toFile())) {
                spiSeen |= entries.getEntry(SPI) != null;
                entries.stream().map(ZipEntry::getName)
                        .filter(name -> name.equals(SERVICE) || name.startsWith("io/bellwether/testing/")
                                || name.contains("FaultInjector"))
                        .forEach(name -> found.add(jar.getFileName() + ": " + name));
            }
        }
        assertThat(spiSeen).as("the product's own jar was looked into").isTrue();
        assertThat(found).isEmpty();
    }
}
