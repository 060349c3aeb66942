// Results of checks, recorded from the engine (`recorded_checks_are_what_the_engine_says` in crates/forms), because
// there is no second engine here. All other values are valid.
import type { SchemaCheck } from "@/ipc/bindings/SchemaCheck";
import recorded from "./checks.json";

interface Recorded {
  readonly schema: object;
  readonly value: string;
  readonly check: SchemaCheck;
}

export function checkValue(schema: string, value: string): SchemaCheck {
  const parsed = JSON.stringify(JSON.parse(schema));
  const found = (recorded as Recorded[]).find((one) => one.value === value && JSON.stringify(one.schema) === parsed);
  return found?.check ?? { problems: [], unchecked: [] };
}
