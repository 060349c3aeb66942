// `cargo xtask pictures --readme`: takes the README's pictures from the real window, so that they stay up to date.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Desktop } from "./desktop.mjs";
import { address, ends, mooringOk, startDemo, toolIsOpen, words } from "./person.mjs";
import { until } from "./webdriver.mjs";

const IMAGES = join(import.meta.dirname, "../../docs/images");
const npm = (name) => join(process.env.MOORING_SERVERS, "npm/node_modules/@modelcontextprotocol", name, "dist/index.js");

mkdirSync(IMAGES, { recursive: true });
const desktop = await Desktop.start();
const { session } = desktop;
try {
  await session.resize(1280, 800);
  await startDemo(session);
  await (await session.byRole("button", words("en")("common:firstSteps.skip"))).click();
  mooringOk(desktop, "add", "everything", "--", "node", npm("server-everything"));
  mooringOk(desktop, "add", "filesystem", "--", "node", npm("server-filesystem"), desktop.directory);
  await session.byRole("row", /^filesystem.*Ready/i, { timeout: 30_000 });
  await session.byRole("row", /^everything.*Ready/i, { timeout: 30_000 });
  const [{ id }] = JSON.parse(mooringOk(desktop, "list", "--json")).result.filter(({ name }) => /demo/i.test(name));
  const isQuiet = () => session.execute("return document.querySelector('[data-toasts] li') === null");
  await until(isQuiet, "the messages about added servers to leave", 15_000);
  for (const theme of ["light", "dark"]) {
    await address(session, "/settings");
    await (await session.byRole("radio", theme === "light" ? "Light" : "Dark")).click();
    await address(session, `/workbench?server=${id}&tool=image`);
    await toolIsOpen(session, "image");
    await (await session.byRole("button", /^Run/)).click();
    await ends(session, "ok");
    await until(() => session.execute("return document.querySelector('main img')?.decode().then(() => true)"), "the image");
    await session.screenshot(join(IMAGES, `workbench-${theme}.png`));
    console.log(`docs/images/workbench-${theme}.png`);
  }
} catch (error) {
  console.error(`${error.message}\n${await session.pageText()}\n${desktop.output()}`);
  process.exitCode = 1;
} finally {
  await desktop.close();
}
