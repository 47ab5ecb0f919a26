// What docs/local-service.md shows, as users run it.
import "../../examples/offline-test/index.test.ts";
