// The catalog: the first look, the list, an entry, its form, an update, and a copy without a connection.

import { startsWith } from "../../person.mjs";

export const screen = "Catalog";

const ENTRY = "/catalog?name=io.github.publisher0%2Fweather-0";
const before = (text) => startsWith(text.split("{{")[0]);
const fetch = (visitor) => visitor.clickNamed("button", before(visitor.t("catalog:first.submit")));
const rows = (visitor) => visitor.css("[role=option]");

export const scenes = {
  "catalog-first": { scene: "catalog_first", at: "/catalog" },
  "catalog-fetching": {
    scene: "catalog_slow",
    at: "/catalog",
    act: async (visitor) => {
      await fetch(visitor);
      await visitor.find("button", visitor.t("common:cancel"));
    },
  },
  catalog: { scene: "catalog_many", at: "/catalog", act: rows },
  "catalog-offline": { scene: "catalog_offline", at: "/catalog", act: rows },
  "catalog-nothing": {
    scene: "catalog_many",
    at: "/catalog",
    act: async (visitor) => {
      await visitor.fill(visitor.t("catalog:search"), "lighthouse-9000");
      await visitor.rest();
    },
  },
  "catalog-entry": { at: ENTRY, act: rows },
  "catalog-hostile-entry": { at: "/catalog?name=odd.example%2Fentry-1", act: rows },
  "catalog-install": {
    at: ENTRY,
    act: async (visitor) => {
      await visitor.click("button", "catalog:install.open");
      await visitor.css("[role=dialog] footer button:nth-of-type(2):not(:disabled)");
    },
  },
  "catalog-update": {
    scene: "catalog_update",
    at: "/servers?id=2&tab=overview",
    act: async (visitor) => {
      await visitor.click("button", "catalog:review");
      await visitor.find("dialog");
      await visitor.rest();
    },
  },
};
