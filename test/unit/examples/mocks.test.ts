import "../../../examples/offline-test/mocks.test.ts";
