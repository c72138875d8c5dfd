package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.util.List;

import io.bellwether.loadtest.bench.ProcFs;

/**
 * CPU seconds.
 *
 * @param nginx of its master and workers
 * @param processes that answer behind it
 * @param client the benchmark's own
 */
record Usage(double nginx, double processes, double client) {
    /** What has been used so far, since each of them began. */
    static Usage look(long nginxPid, List<Long> pids) throws IOException {
        double processes = 0;
        for (long pid : pids) {
            processes += ProcFs.ownCpuSeconds(pid);
        }
        return new Usage(ProcFs.cpuSeconds(nginxPid), processes, ProcFs.ownCpuSeconds(ProcessHandle.current().pid()));
    }

    /** What has been used since an earlier look, by the number of things done meanwhile. */
    Usage since(Usage earlier, double things) {
        return new Usage((nginx - earlier.nginx) / things, (processes - earlier.processes) / things,
                (client - earlier.client) / things);
    }
}
