package io.bellwether.lease;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/** A ledger one of whose methods waits, each time, until the test lets it go on, or throws. Thread safe. */
final class HeldUp {
    private final String method;
    private final @Nullable Exception failure;
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch go = new CountDownLatch(1);

    /** Holds up calls of the method of this name. */
    HeldUp(String method) {
        this(method, null);
    }

    private HeldUp(String method, @Nullable Exception failure) {
        this.method = method;
        this.failure = failure;
    }

    /** Calls of the method of this name throw. */
    static HeldUp throwing(String method, RuntimeException failure) {
        return new HeldUp(method, failure);
    }

    /** As {@link #throwing}, by the database. */
    static HeldUp refusing(String method, SQLException failure) {
        return new HeldUp(method, failure);
    }

    Ledger wrap(Ledger ledger) {
        return (Ledger) Proxy.newProxyInstance(Ledger.class.getClassLoader(), new Class<?>[]{Ledger.class},
                (proxy, called, arguments) -> {
                    if (called.getName().equals(method)) {
                        entered.countDown();
                        if (failure != null) {
                            throw failure;
                        }
                        if (!go.await(60, TimeUnit.SECONDS)) {
                            throw new AssertionError("nobody let " + method + " go on");
                        }
                    }
                    try {
                        return called.invoke(ledger, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
