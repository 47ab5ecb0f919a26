import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb.js";

/** Properties as the engine sends them; without any, an empty object. */
export function propertiesOf(struct: Struct | undefined): Record<string, unknown> {
  return struct?.toJavaScript() ?? {};
}

/** Properties as the engine reads them. What is `undefined` is left out: a struct cannot hold it. */
export function structOf(properties: Readonly<Record<string, unknown>>): Struct {
  const known = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Struct.fromJavaScript(Object.fromEntries(known) as Record<string, JavaScriptValue>);
}
