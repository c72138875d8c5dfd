package io.bellwether.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.bellwether.fault.FaultKind;

class ProblemTest {
    @Test
    void faultOf_whatPassesWhenTriedAgain_isUnavailable() {
        // A deadlock was told to the client as an error of ours.
        for (String state : List.of("40P01", "40001", "08006", "57P01", "53300")) {
            assertThat(Problem.faultOf(new SQLException("x", state)).kind()).as(state).isEqualTo(FaultKind.UNAVAILABLE);
        }
        assertThat(Problem.faultOf(new SQLException("x", "57014")).kind()).isEqualTo(FaultKind.TIMEOUT);
        assertThat(Problem.faultOf(new SQLException("x", "42601")).kind()).isEqualTo(FaultKind.INTERNAL);
    }
}
