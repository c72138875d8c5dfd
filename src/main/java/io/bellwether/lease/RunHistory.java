package io.bellwether.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/** Old run rows. Stateless. */
public final class RunHistory {
    private RunHistory() {}

    /**
     * Removes rows of runs that ended long ago. Each job's last success stays, whatever its age, and so does everything
     * from its cursor on.
     *
     * @param age how long ago a run must have ended
     * @param limit how many rows at most
     * @return how many rows were removed; fewer than the limit means that none is left
     * @throws SQLException if the database is away
     */
    public static int forget(Connection connection, Duration age, int limit) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("""
                delete from run where run_id = any(array(
                    select r.run_id from run r join job j using (job_id)
                    where r.finished_at < clock_timestamp() - make_interval(secs => ?)
                        and r.state not in ('queued', 'running')
                        and (r.scheduled_at < j.tick_cursor or r.kind = 'manual')
                        and exists (select from run newer where newer.job_id = r.job_id and newer.run_id > r.run_id
                            and (r.state not in ('published', 'unchanged')
                                or newer.state in ('published', 'unchanged')))
                    limit ?))""")) {
            delete.setDouble(1, age.toSeconds());
            delete.setInt(2, limit);
            return delete.executeUpdate();
        }
    }
}
