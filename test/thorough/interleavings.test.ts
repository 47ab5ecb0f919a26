import "../unit/interleavings.test.ts";
