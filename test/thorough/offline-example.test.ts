import "../../examples/offline-test/index.test.ts";
