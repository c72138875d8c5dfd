package io.bellwether.lease;

import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.database.AmbiguousCommitException;
import io.bellwether.fault.Failpoint;
import io.bellwether.fault.Fault;
import io.bellwether.telemetry.Meters;

/** Does one run on the calling thread and sees to it that its row says how it ended. Thread safe. */
final class RunExecution {
    private static final Logger log = LoggerFactory.getLogger(TickService.class);
    private static final Duration AT_SHUTDOWN = Duration.ofSeconds(2);

    private final Ledger ledger;
    private final Duration lease;
    private final Meters meters;

    RunExecution(Ledger ledger, Duration lease, Meters meters) {
        this.ledger = ledger;
        this.lease = lease;
        this.meters = meters;
    }

    /** Whatever the work throws, an {@link Error} included, ends in the row; nothing is thrown. */
    void perform(LiveRun run, JobWork work) {
        RunResult result = null;
        Throwable thrown = null;
        run.begin();
        try {
            Failpoint.reach(Failpoint.WORK_STARTED, run.job());
            result = work.perform(run);
        } catch (Throwable t) {
            thrown = t;
        } finally {
            run.end();
        }
        String state;
        try {
            state = thrown == null && result != null ? returned(run, result) : threw(run, thrown);
        } catch (Throwable t) {
            log.error("job={} tick={} could not be recorded", run.job(), run.scheduledAt(), t);
            state = "unknown";
        }
        tell(run, state, result != null ? result : run.recorded(), thrown);
    }

    private String returned(LiveRun run, RunResult result) {
        if (result.state() != RunResult.State.PUBLISHED) {
            Ledger.End end = LiveRun.end(result);
            return keptOut(run, untilTold(run, () -> ledger.finish(run.claim(), end, false)));
        }
        String state = untilTold(run, () -> ledger.state(run.claim()));
        if (state.equals("unknown") && run.recorded() != null) {
            // Its row cannot be asked now, and need not be: it was written in the transaction whose COMMIT was acknowledged.
            return "published";
        }
        if (!state.equals("running")) {
            return keptOut(run, state);
        }
        return failed(run, "the work said that it published revision " + result.revision() + " but did not record it");
    }

    private String threw(LiveRun run, @Nullable Throwable thrown) {
        if (thrown instanceof LeaseLostException || run.stop() == LiveRun.Stop.LOST) {
            return lost(run);
        }
        if (run.stop() == LiveRun.Stop.TIMED_OUT) {
            Ledger.End end = Ledger.End.of("timed-out", run.because());
            return keptOut(run, untilTold(run, () -> ledger.finish(run.claim(), end, true)));
        }
        if (isAmbiguous(thrown)) {
            String state = untilTold(run, () -> ledger.settle(run.claim()));
            if (!state.equals("running")) {
                return keptOut(run, state);
            }
        }
        if (run.stop() == LiveRun.Stop.SHUTDOWN) {
            return keptOut(run, giveBack(run, true));
        }
        return failed(run, sentence(thrown));
    }

    /** Others may have run it meanwhile; or nobody noticed, and then somebody should. */
    private String lost(LiveRun run) {
        String state = untilTold(run, () -> ledger.fenced(run.claim(), "came back and was kept out: " + run.because()));
        return state.equals("running") ? giveBack(run, false) : state;
    }

    private String keptOut(LiveRun run, String state) {
        return state.equals("abandoned") || state.equals("superseded") ? lost(run) : state;
    }

    private String failed(LiveRun run, String reason) {
        return keptOut(run, untilTold(run, () -> ledger.finish(run.claim(), Ledger.End.of("failed", reason), false)));
    }

    private String giveBack(LiveRun run, boolean handedOver) {
        return untilTold(run, () -> {
            if (ledger.giveBack(run.claim(), handedOver)) {
                return "given back";
            }
            // It ended before: published, by a COMMIT whose answer the stop cut off; or was given back by a try before.
            String state = ledger.state(run.claim());
            return state.equals("running") ? "given back" : state;
        });
    }

    /**
     * Repeats a statement while the database is away, for a lease at most: by then the run was taken over, or will be.
     */
    private String untilTold(LiveRun run, Repeated.Question<String> statement) {
        try {
            return Repeated.ask(() -> run.stop() == LiveRun.Stop.SHUTDOWN ? AT_SHUTDOWN : lease, statement);
        } catch (SQLException e) {
            log.warn(
                    "job={} tick={} the database did not answer about its end; if it is not recorded, it is taken over ({})",
                    run.job(), run.scheduledAt(), e.toString());
            return "unknown";
        }
    }

    private static boolean isAmbiguous(@Nullable Throwable thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t instanceof AmbiguousCommitException) {
                return true;
            }
        }
        return false;
    }

    private static String sentence(@Nullable Throwable thrown) {
        if (thrown == null) {
            return "the work returned nothing";
        }
        if (thrown instanceof Fault fault) {
            return fault.detail();
        }
        return thrown.getMessage() == null
                ? thrown.getClass().getSimpleName()
                : thrown.getClass().getSimpleName() + ": " + thrown.getMessage();
    }

    private void tell(LiveRun run, String state, @Nullable RunResult result, @Nullable Throwable thrown) {
        Claim claim = run.claim();
        long millis = run.age().toMillis();
        meters.run(run.job(), claim.kind(), state.replace(' ', '-'), run.age());
        String head = "job=" + run.job() + " tick=" + run.scheduledAt() + " ";
        switch (state) {
            case "published" -> {
                meters.lastSuccess(run.job(), claim.claimedAt().getEpochSecond() + millis / 1000.0);
                log.info("{}published revision={} upserts={} deletes={} unchanged={} in {} ms", head,
                        result == null ? null : result.revision(), result == null ? null : result.upserts(),
                        result == null ? null : result.deletes(), result == null ? null : result.unchanged(), millis);
            }
            case "unchanged" -> {
                meters.lastSuccess(run.job(), claim.claimedAt().getEpochSecond() + millis / 1000.0);
                log.info("{}unchanged policies={} in {} ms", head, result == null ? null : result.unchanged(), millis);
            }
            case "refused" -> log.warn("{}refused in {} ms reason={} candidate={}", head, millis,
                    result == null ? null : result.reason(), result == null ? null : result.candidate());
            case "fenced" -> {
                meters.fenced(run.job());
                log.warn("{}fenced fence={} reason={}", head, run.fence(), run.because());
            }
            case "failed" -> {
                log.warn("{}failed in {} ms reason={}", head, millis,
                        thrown != null || result == null ? sentence(thrown) : result.reason());
                log.debug("{}failed", head, thrown);
            }
            case "given back" -> log.info("{}given back in {} ms reason={}", head, millis, run.because());
            default -> log.warn("{}{} in {} ms reason={}", head, state, millis, run.because());
        }
    }
}
