package io.bellwether.lease;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A ledger one of whose methods waits, each time, until the test lets it go on. Thread safe. */
final class HeldUp {
    private final String method;
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch go = new CountDownLatch(1);

    /** Holds up calls of the method of this name. */
    HeldUp(String method) {
        this.method = method;
    }

    Ledger wrap(Ledger ledger) {
        return (Ledger) Proxy.newProxyInstance(Ledger.class.getClassLoader(), new Class<?>[]{Ledger.class},
                (proxy, called, arguments) -> {
                    if (called.getName().equals(method)) {
                        entered.countDown();
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
