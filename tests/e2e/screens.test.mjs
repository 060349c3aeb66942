import { test } from "node:test";
import { everyScreen } from "./screens.mjs";

test("every screen in both themes, en", () => everyScreen("en"));
