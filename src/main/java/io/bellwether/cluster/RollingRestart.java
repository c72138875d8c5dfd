package io.bellwether.cluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

import com.fasterxml.jackson.core.JacksonException;

/**
 * Restarts the {@code serve} processes of a running local cluster, one after the other: each is asked to stop (SIGTERM),
 * finishes what it answers, hands its runs over, and is started again by the {@code up} that owns it. The next one follows
 * once all are ready again, so that never more than one is away. For one thread.
 */
public final class RollingRestart {
    private final ClusterDir dir;
    private final Duration limit;
    private final Consumer<String> say;

    /**
     * Of the cluster that runs in a folder.
     *
     * @param folder of {@code up}
     * @param limit for one process, from the signal until all are ready again
     * @param say gets a line per process
     */
    public RollingRestart(Path folder, Duration limit, Consumer<String> say) {
        this.dir = new ClusterDir(folder.toAbsolutePath().normalize());
        this.limit = limit;
        this.say = say;
    }

    /**
     * Restarts them all.
     *
     * @return how many
     * @throws ClusterException if no cluster runs there, if not all of its processes are ready to begin with, or if one is
     *         not ready in time, in which case the rest is left alone
     */
    public int run() throws ClusterException, InterruptedException {
        requireRunning();
        DirectoryLock alone = DirectoryLock.ofRollingRestart(dir);
        try (ServeProbe probe = new ServeProbe()) {
            if (!Waiting.<ClusterException>until(limit, () -> allReady(probe, processes()))) {
                throw new ClusterException("not all processes are ready; nothing was restarted: look at the logs in "
                        + dir.log("…").getParent());
            }
            int all = processes().size();
            for (int i = 0; i < all; i++) {
                restart(probe, i);
            }
            return all;
        } finally {
            alone.close();
        }
    }

    private void restart(ServeProbe probe, int index) throws ClusterException, InterruptedException {
        long begun = System.nanoTime();
        ClusterFile.ServeProcess old = processes().get(index);
        OsProcess process = OsProcess.of(old.pid())
                .orElseThrow(
                        () -> new ClusterException("process " + (index + 1) + " ended by itself; the rest is left"));
        process.signal("TERM");
        if (!Waiting.<ClusterException>until(limit, () -> {
            List<ClusterFile.ServeProcess> now = processes();
            return now.get(index).pid() != old.pid() && allReady(probe, now);
        })) {
            throw new ClusterException("process " + (index + 1) + " is not ready again after " + limit.toSeconds()
                    + " s; the rest is left alone: look at " + dir.log("process-" + (index + 1)));
        }
        say.accept(String.format(Locale.ROOT, "process %d: %s is now %s, after %.1f s", index + 1, old.name(),
                processes().get(index).name(), (System.nanoTime() - begun) / 1e9));
    }

    private static boolean allReady(ServeProbe probe, List<ClusterFile.ServeProcess> all) throws InterruptedException {
        for (ClusterFile.ServeProcess one : all) {
            if (one.name().isEmpty()
                    || !probe.readyName(one.port(), one.pid()).filter(one.name()::equals).isPresent()) {
                return false;
            }
        }
        return true;
    }

    /** As the file has them, which {@code up} replaces whole whenever one is started again or has told its name. */
    private List<ClusterFile.ServeProcess> processes() throws ClusterException {
        try {
            return ClusterFile.read(dir.clusterJson()).processes();
        } catch (JacksonException e) {
            throw new ClusterException(
                    dir.clusterJson() + " is not what `bellwether up` writes: " + e.getOriginalMessage(),
                    e);
        } catch (IOException e) {
            throw new ClusterException("no cluster runs in " + dir.root() + " (" + UserFolders.reason(e)
                    + "): start one with `bellwether up --dir " + dir.root() + "`", e);
        }
    }

    /** A file that a killed {@code up} left behind names processes that may be anybody's by now. */
    private void requireRunning() throws ClusterException {
        processes();
        try (FileChannel channel = FileChannel.open(dir.lock(), StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            if (lock != null) {
                throw new ClusterException(
                        "no cluster runs in " + dir.root() + ", what is there is left over: start one with"
                                + " `bellwether up --dir " + dir.root() + "`");
            }
        } catch (IOException e) {
            throw new ClusterException("cannot look at " + dir.lock() + ": " + UserFolders.reason(e), e);
        }
    }
}
