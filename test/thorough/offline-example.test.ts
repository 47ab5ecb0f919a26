// As users run it.
import "../../examples/offline-test/index.test.ts";
