// All scenes by screen, and the page that shows their pictures.
//
// A scene is { scene, at, query, act, loading, complaints, list }: the mock backend's `?scene=` (usual), the address in
// the window, more parameters of the backend, what a person does there, whether it shows something that is still
// loading, patterns of expected errors, and whether it is also taken in the sizes of lists.
//
// A file may also have scenes of the real window, with a host and the demo server (`inWindow`). Each opens its screen,
// waits until it is complete, and may return what to do after its pictures.

import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SCENES = join(import.meta.dirname, "scenes");

/** Every screen with its scenes, in the order of the files. */
export async function screens() {
  const found = [];
  const names = new Set();
  for (const file of readdirSync(SCENES).toSorted()) {
    const { screen, scenes, inWindow = {} } = await import(join(SCENES, file));
    for (const name of Object.keys(scenes)) {
      if (names.has(name)) throw new Error(`two scenes are called ${name}`);
      if (!/^[a-z0-9-]+$/.test(name)) throw new Error(`a scene's name is of small letters, digits and dashes: ${name}`);
      names.add(name);
    }
    found.push({ screen, scenes, inWindow });
  }
  return found;
}

/** The file name of a picture. */
export const fileOf = (name, { look, language, size }) => `${name}@${look}-${language}-${size}.png`;

/** Deletes pictures of scenes that don't exist any more. */
export function tidy(directory, all) {
  const names = new Set(all.flatMap(({ scenes }) => Object.keys(scenes)));
  for (const file of readdirSync(directory)) {
    if (file.endsWith(".png") && !names.has(file.split("@")[0])) rmSync(join(directory, file));
  }
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
body { margin: 0 24px 48px; }
nav { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: 4px 14px; padding: 10px 0; background: Canvas; }
article { border-top: 1px solid #8886; padding: 6px 0 14px; scroll-margin-top: 48px; }
h3 { margin: 4px 0; font: 600 14px ui-monospace, monospace; }
.row { display: flex; gap: 10px; overflow-x: auto; }
figure { margin: 0; flex: none; }
figcaption { font-size: 12px; opacity: .7; }
img { display: block; width: 480px; height: auto; border: 1px solid #8886; background: #8882; }
li { color: #c22; }
`;

/** Writes index.html: each scene with its variants side by side, and the problems of this run. */
export function writeIndex(directory, all, wrong) {
  const have = new Set(readdirSync(directory).filter((file) => file.endsWith(".png")));
  const orders = [...have].map((file) => file.slice(file.indexOf("@") + 1, -4));
  const known = [...new Set(orders)].toSorted();
  const sections = all.map(({ screen, scenes }) => {
    const articles = Object.entries(scenes).map(([name, { scene = "usual", at }]) => {
      const figures = known
        .map((order) => [order, `${name}@${order}.png`])
        .filter(([, file]) => have.has(file))
        .map(
          ([order, file]) =>
            `<figure><a href="${file}"><img loading="lazy" src="${file}" alt="${name}, ${order}"></a><figcaption>${order}</figcaption></figure>`,
        );
      if (figures.length === 0) return "";
      const found = wrong.filter((item) => item.name === name).map(({ look, what }) => `<li>${escaped(`${look}: ${what}`)}</li>`);
      return `<article id="${name}"><h3>${name}</h3><small>${escaped(`?scene=${scene}#${at}`)}</small>${found.length > 0 ? `<ul>${found.join("")}</ul>` : ""}<div class="row">${figures.join("")}</div></article>`;
    });
    const shown = articles.filter(Boolean);
    return shown.length === 0 ? "" : `<h2 id="${escaped(screen)}">${escaped(screen)} (${shown.length})</h2>${shown.join("\n")}`;
  });
  const links = all
    .filter((_, index) => sections[index] !== "")
    .map(({ screen }) => `<a href="#${escaped(screen)}">${escaped(screen)}</a>`);
  const faults = [...new Set(wrong.map(({ name }) => name))].map((name) => `<a href="#${name}">${name}</a>`);
  const file = join(directory, "index.html");
  writeFileSync(
    file,
    `<!doctype html><meta charset="utf-8"><title>Pictures of Mooring</title><style>${STYLE}</style>
<h1>Every screen in every state</h1><p>${faults.length === 0 ? "Nothing wrong was found." : `Wrong: ${faults.join(", ")}`}</p>
<nav>${links.join("")}</nav>
${sections.join("\n")}
`,
  );
  return file;
}
